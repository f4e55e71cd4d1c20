import CDBus
import SegueCore

/// An argument of a bus message. Anything may be built; `Message.append` refuses what a bus cannot carry.
public indirect enum BusValue: Equatable, Sendable {
  case byte(UInt8)
  case bool(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  /// May not contain U+0000.
  case string(String)
  case objectPath(ObjectPath)
  /// The signature of no, one or several complete types.
  case signature(String)
  /// `ay`, copied in one go. An array of bytes is always received as this.
  case bytes([UInt8])
  /// Elements that all have the element signature. One of `{kv}` makes a dictionary of structures of two.
  case array(elementSignature: String, [BusValue])
  /// `a{sv}`, without the variants around its values.
  case dictionary(BusDictionary)
  /// At least one value.
  case structure([BusValue])
  case variant(BusValue)
  /// A descriptor; the message has a duplicate of its own, sent or received.
  case descriptor(FileDescriptor)

  /// The signature of its type.
  public var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary: "a{sv}"
    case .structure(let values): "(" + BusValue.signature(of: values) + ")"
    case .variant: "v"
    case .descriptor: "h"
    }
  }

  static func signature(of values: [BusValue]) -> String {
    var signature = ""
    for value in values { signature += value.signature }
    return signature
  }
}

/// The value as a Swift type, for a handler that has checked the signature: nil where it has another type.
extension BusValue {
  public var asBool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var asInt32: Int32? { if case .int32(let value) = self { value } else { nil } }
  public var asUInt32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
  public var asUInt64: UInt64? { if case .uint64(let value) = self { value } else { nil } }
  public var asString: String? { if case .string(let value) = self { value } else { nil } }
  public var asObjectPath: ObjectPath? { if case .objectPath(let value) = self { value } else { nil } }
  public var asBytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  public var asDictionary: BusDictionary? { if case .dictionary(let value) = self { value } else { nil } }
  public var asArray: [BusValue]? { if case .array(_, let values) = self { values } else { nil } }
  public var asDescriptor: FileDescriptor? { if case .descriptor(let value) = self { value } else { nil } }
  /// An array of strings, `as`.
  public var asStrings: [String]? {
    guard case .array("s", let values) = self else { return nil }
    return values.compactMap { $0.asString }
  }

  /// An array of strings, `as`.
  public static func strings(_ strings: [String]) -> BusValue {
    .array(elementSignature: "s", strings.map { .string($0) })
  }
}

/// `a{sv}`: named values in their order.
public struct BusDictionary: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  /// One name and its value; the value stands without the variant that the bus has around it.
  public struct Entry: Equatable, Sendable {
    public let key: String
    public let value: BusValue
  }

  /// All entries, in order.
  public private(set) var entries: [Entry]

  /// The entries as given; among several with the same key the first counts.
  public init(_ entries: [(String, BusValue)] = []) { self.entries = entries.map { Entry(key: $0.0, value: $0.1) } }

  /// The entries as written.
  public init(dictionaryLiteral elements: (String, BusValue)...) { self.init(elements) }

  /// The value of the first entry with this key. Setting replaces it, or appends; nil removes every one.
  public subscript(key: String) -> BusValue? {
    get { entries.first { $0.key == key }?.value }
    set {
      guard let newValue else { return entries.removeAll { $0.key == key } }
      let entry = Entry(key: key, value: newValue)
      if let index = entries.firstIndex(where: { $0.key == key }) {
        entries[index] = entry
      } else {
        entries.append(entry)
      }
    }
  }
}

/// Whether `signature` is that of exactly one complete type; a dictionary entry counts, as an array's element.
func isSingleSignature(_ signature: String) -> Bool {
  guard !signature.utf8.contains(0), !signature.isEmpty else { return false }
  return dbus_signature_validate_single("a" + signature, nil) != 0
}

/// Whether `signature` is that of any number of complete types.
func isSignature(_ signature: String) -> Bool {
  guard !signature.utf8.contains(0) else { return false }
  return dbus_signature_validate(signature, nil) != 0
}
