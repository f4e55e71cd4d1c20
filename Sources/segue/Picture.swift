import CQREncode
import SegueCore

/// A text as a QR code, by libqrencode.
struct Picture {
  /// Whether each dot is dark, row by row.
  private let dots: [[Bool]]

  /// The light border that readers need, in dots (ISO/IEC 18004).
  private static let border = 4

  /// Nil if the text is too long.
  init?(_ text: String) {
    // The library finds by itself that upper-case letters and digits take fewer bits than others.
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    let empty = [Bool](repeating: false, count: width + 2 * Self.border)
    let side = [Bool](repeating: false, count: Self.border)
    let rows = (0..<width).map { row in
      side + (0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 } + side
    }
    let edge = [[Bool]](repeating: empty, count: Self.border)
    dots = edge + rows + edge
  }

  /// Two rows of dots in one line. A terminal is dark mostly, so that what is light is drawn.
  var text: String {
    stride(from: 0, to: dots.count, by: 2).map { row in
      String(
        dots[row].indices.map { column -> Character in
          let isDarkBelow = row + 1 < dots.count && dots[row + 1][column]
          switch (dots[row][column], isDarkBelow) {
          case (false, false): return "█"
          case (false, true): return "▀"
          case (true, false): return "▄"
          case (true, true): return " "
          }
        })
    }.joined(separator: "\n")
  }

  /// The columns that `text` takes.
  var width: Int { dots.count }

  /// The same as SVG, for user interfaces.
  var svg: String {
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
