/// The start of an id, as a user types it: without case, and without the dashes that group the digits of a device's id.
public struct IDStart {
  /// How much of an id must be given.
  public static let shortest = 4

  private let digits: String

  /// Nil where it is too short to mean one.
  public init?(_ text: String) {
    digits = Self.digits(of: text)
    guard digits.utf8.count >= Self.shortest else { return nil }
  }

  public func fits(_ id: String) -> Bool { Self.digits(of: id).utf8.starts(with: digits.utf8) }

  public static func digits(of id: String) -> String { id.lowercased().filter { $0 != "-" } }

  /// The devices whose name is `text`, and behind them those whose id is, or begins with, it: a name can look like the
  /// start of another one's id.
  public static func devices<Device>(
    _ text: String, among devices: [Device], name: (Device) -> String, id: (Device) -> String
  ) -> [Device] {
    let start = IDStart(text)
    return devices.filter { name($0) == text }
      + devices.filter { name($0) != text && start?.fits(id($0)) ?? false }
  }
}
