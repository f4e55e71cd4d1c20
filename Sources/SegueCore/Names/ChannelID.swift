/// A channel of a `Link`, with any peer and opened by either side; never used twice in a process.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
  package let value: UInt64

  package init(value: UInt64) { self.value = value }

  /// For a log line.
  public var description: String { "\(value)" }
}
