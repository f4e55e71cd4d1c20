import CQREncode
import SegueCore

/// A text as a QR code, by libqrencode.
struct Picture {
  /// Whether each dot is dark, row by row.
  private let dots: [[Bool]]

  /// The widths of the light border, in dots: the one that ISO/IEC 18004 asks for, and two that readers still manage
  /// with where there is no room for more.
  private static let borders = [4, 2, 1]

  /// Nil if the text is too long.
  init?(_ text: String) {
    // The library finds by itself that upper-case letters and digits take fewer bits than others. A screen loses no
    // dots, so that little has to be said twice.
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    dots = (0..<width).map { row in (0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 } }
  }

  /// On a screen that is so large: two rows of dots in one line, in black and white whatever the screen's colours are.
  /// Nil where it is too small.
  func text(columns: Int, lines: Int) -> String? {
    Self.borders.lazy.map { bordered($0) }.first { $0.count <= columns && ($0.count + 1) / 2 <= lines }.map { dots in
      stride(from: 0, to: dots.count, by: 2).map { row in
        Self.colors + Self.line(dots[row], row + 1 < dots.count ? dots[row + 1] : nil) + Self.noColors + "\n"
      }.joined()
    }
  }

  /// White on black, in the fixed part of the 256 colours, which no theme changes.
  private static let colors = "\u{1b}[38;5;231;48;5;16m"
  private static let noColors = "\u{1b}[0m"

  /// Light dots are drawn. Below the last row there are none.
  private static func line(_ upper: [Bool], _ lower: [Bool]?) -> String {
    String(
      upper.indices.map { column -> Character in
        switch (upper[column], lower?[column] ?? true) {
        case (false, false): return "█"
        case (false, true): return "▀"
        case (true, false): return "▄"
        case (true, true): return " "
        }
      })
  }

  private func bordered(_ border: Int) -> [[Bool]] {
    let side = [Bool](repeating: false, count: border)
    let edge = [[Bool]](repeating: [Bool](repeating: false, count: dots.count + 2 * border), count: border)
    return edge + dots.map { side + $0 + side } + edge
  }

  /// The same as SVG, for user interfaces.
  var svg: String {
    let dots = bordered(Self.borders[0])
    let size = dots.count
    let path = dots.indices.flatMap { row in
      dots[row].indices.filter { dots[row][$0] }.map { "M\($0) \(row)h1v1h-1z" }
    }.joined()
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges">
      <rect width="\(size)" height="\(size)" fill="#fff"/><path d="\(path)"/>
      </svg>

      """
  }
}
