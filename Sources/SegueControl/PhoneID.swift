import SegueBus
import SegueCore

/// The program by which a phone is reached, if that runs.
public enum PhoneProgram: String, CaseIterable, BusField, Sendable {
  case kdeConnect = "kdeconnect"
  case gsConnect = "gsconnect"
  case valent = "valent"

  /// The name, for a person.
  public var name: String {
    switch self {
    case .kdeConnect: "KDE Connect"
    case .gsConnect: "GSConnect"
    case .valent: "Valent"
    }
  }
}

/// A phone, or whatever else is paired with such a program: the program, a colon and the id that it has there. A device's
/// own id has no colon.
public struct PhoneID: Equatable, Sendable {
  public let program: PhoneProgram
  /// As the program says it: letters, digits, `_` and `-`.
  public let phone: String

  /// Nil for an id that could not stand in a bus's path, or is too long.
  public init?(_ program: PhoneProgram, _ phone: String) {
    guard (1...Limits.keyLength).contains(phone.utf8.count), phone.utf8.allSatisfy(Self.isPlain) else { return nil }
    self.program = program
    self.phone = phone
  }

  public init?(_ text: String) {
    let parts = text.parts(at: ":", maxSplits: 1, omittingEmpty: false)
    guard parts.count == 2, let program = PhoneProgram(rawValue: parts[0]) else { return nil }
    self.init(program, parts[1])
  }

  public var string: String { "\(program.rawValue):\(phone)" }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
