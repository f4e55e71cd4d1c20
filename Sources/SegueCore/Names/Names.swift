// Strings that are accepted before they go anywhere: libdbus ends the process on a malformed name, path or member,
// so nothing else may reach it. Each type says whose rule it checks.

/// A string that a rule has accepted.
public protocol ValidatedName: Hashable, Sendable {
  var string: String { get }
  /// Nil unless `string` keeps the type's rule.
  init?(_ string: String)
}

/// A D-Bus bus name, unique or well-known (D-Bus specification, "Valid Names").
public struct BusName: ValidatedName {
  public let string: String

  public init?(_ string: String) {
    let unique = string.utf8.first == UInt8(ascii: ":")
    let rest = unique ? string.utf8.dropFirst() : string.utf8[...]
    guard string.utf8.count <= Limits.nameLength,
      elements(rest, minimum: 2, leadingDigit: unique, accepts: { isNameByte($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.string = string
  }

  /// Unique names are given by the bus, start with a colon, and are never reused.
  public var isUnique: Bool { string.utf8.first == UInt8(ascii: ":") }
}

/// A D-Bus interface or error name.
public struct InterfaceName: ValidatedName {
  public let string: String

  public init?(_ string: String) {
    guard string.utf8.count <= Limits.nameLength,
      elements(string.utf8[...], minimum: 2, leadingDigit: false, accepts: isNameByte)
    else { return nil }
    self.string = string
  }
}

/// A D-Bus method, signal or property name.
public struct MemberName: ValidatedName {
  public let string: String

  public init?(_ string: String) {
    guard string.utf8.count <= Limits.nameLength,
      elements(string.utf8[...], minimum: 1, maximum: 1, leadingDigit: false, accepts: isNameByte)
    else { return nil }
    self.string = string
  }
}

/// A D-Bus object path.
public struct ObjectPath: ValidatedName {
  public let string: String

  public init?(_ string: String) {
    guard string.utf8.first == UInt8(ascii: "/"), string.utf8.count <= Limits.valueLength else { return nil }
    if string.utf8.count > 1 {
      var length = 0
      for byte in string.utf8.dropFirst() {
        if byte == UInt8(ascii: "/") {
          guard length > 0 else { return nil }
          length = 0
        } else {
          guard isNameByte(byte) else { return nil }
          length &+= 1
        }
      }
      guard length > 0 else { return nil }
    }
    self.string = string
  }

  /// The path that stands for a name: dots become slashes, dashes underscores (desktop entry specification).
  public init(for name: AppID) {
    var path = "/"
    for character in name.string.unicodeScalars {
      switch character {
      case ".": path.unicodeScalars.append("/")
      case "-": path.unicodeScalars.append("_")
      default: path.unicodeScalars.append(character)
      }
    }
    string = path
  }
}

/// An application's id: its D-Bus name and its desktop file's id, short enough that `<app id>.Segue` is a name too.
public struct AppID: ValidatedName {
  public let string: String

  /// The element that the library appends to an app id for the name that it owns itself.
  public static let segueSuffix = ".Segue"

  public init?(_ string: String) {
    guard string.utf8.count + Self.segueSuffix.utf8.count <= Limits.nameLength, let name = BusName(string),
      !name.isUnique
    else { return nil }
    self.string = string
  }

  /// Whether each of its activities is offered only to the devices that it was sent to, and is shown to no others. It
  /// may have several on offer at once (semantics X12).
  public var isDirected: Bool { string.isSame(as: "org.segue.Files") }

  /// The app id as a bus name, which the toolkit owns.
  public var busName: BusName { BusName(accepted: string) }
  /// The name that the library owns.
  public var segueName: BusName { BusName(accepted: string + Self.segueSuffix) }
}

/// An activity type (semantics C1): two or more elements of A-Z a-z 0-9 _ -, joined by single dots.
public struct ActivityType: ValidatedName {
  public let string: String

  public init?(_ string: String) {
    guard string.utf8.count <= Limits.nameLength,
      elements(
        string.utf8[...], minimum: 2, leadingDigit: true,
        accepts: { isNameByte($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.string = string
  }

  /// The type of a web page in a browser (semantics C15).
  public static let browsingWeb = ActivityType(accepted: "org.segue.BrowsingWeb")

  /// Whether every application may claim it, outside the rules for teams (semantics O1): docs/open-types.md.
  public var isOpen: Bool { string.begins(with: "org.segue.open.") }

  private init(accepted: String) { string = accepted }
}

extension BusName {
  /// For names that were made from accepted parts.
  fileprivate init(accepted: String) { string = accepted }
}

func isNameByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
    true
  default: false
  }
}

/// Whether `bytes` are `minimum` to `maximum` non-empty elements joined by single dots.
private func elements(
  _ bytes: Substring.UTF8View, minimum: Int, maximum: Int = .max, leadingDigit: Bool, accepts: (UInt8) -> Bool
) -> Bool {
  var count = 1
  var length = 0
  for byte in bytes {
    if byte == UInt8(ascii: ".") {
      guard length > 0 else { return false }
      count &+= 1
      length = 0
      continue
    }
    guard accepts(byte) else { return false }
    if length == 0, !leadingDigit, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { return false }
    length &+= 1
  }
  return length > 0 && count >= minimum && count <= maximum
}
