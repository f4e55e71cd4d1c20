import SegueCore

/// The rows and columns of a terminal, within what a session takes. Pure.
public struct TerminalSize: Equatable, Sendable {
  public let rows: Int
  public let columns: Int

  public static let usual = TerminalSize(rows: 24, columns: 80)

  /// A terminal that says 0 does not know.
  public init(rows: Int, columns: Int) {
    self.rows = min(rows > 0 ? rows : 24, Limits.shellRows)
    // A wide character has to fit.
    self.columns = min(columns > 0 ? max(columns, 2) : 80, Limits.shellColumns)
  }
}
