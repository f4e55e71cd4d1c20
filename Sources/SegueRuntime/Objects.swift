import CLinux
import SegueCore

/// An error with a handle for C.
public final class ErrorHandle: Handle, @unchecked Sendable {
  public let code: Int32
  public let name: CText
  public let message: CText
  public let advice: CText

  /// `external` is 0 for an error that a callback borrows.
  public init(_ error: SegueError, external: Int = 1) {
    code = error.code.rawValue
    name = CText(SegueError.Code.busPrefix + error.code.name)
    message = CText(error.message)
    advice = CText(error.advice)
    super.init(kind: .error, external: external)
  }
}

/// A value with a handle for C: one thread at a time. Containers copy elements that are added, and lend those that are
/// read.
public final class ValueHandle: Handle, @unchecked Sendable {
  public private(set) var value: Value
  /// Whether a container lent it: then it cannot be changed, since that would not change the container.
  public let isLent: Bool
  private var text: CText?
  private var bytes: UnsafeMutablePointer<UInt8>?
  /// The handles that were lent, by key or index, until the container changes.
  private var elements: [Value: ValueHandle] = [:]
  private var keys: [Value: ValueHandle] = [:]
  /// The elements of a set, or the keys of a dictionary, in the order of their encoding.
  private var order: [Value]?

  public init(_ value: Value) {
    self.value = value
    isLent = false
    super.init(kind: .value)
  }

  /// A value that is lent for a call, or by a container: the borrower may keep it, and cannot change it.
  init(lending value: Value) {
    self.value = value
    isLent = true
    super.init(kind: .value, external: 0)
  }

  deinit { free(bytes) }

  /// The text of a string or URL: borrowed until the handle goes.
  public var textPointer: UnsafePointer<CChar>? {
    guard let string = value.string ?? value.url else { return nil }
    let text = self.text ?? CText(string)
    self.text = text
    return text.pointer
  }

  /// The bytes of data: borrowed until the handle goes.
  public var dataPointer: UnsafePointer<UInt8>? {
    guard let data = value.data else { return nil }
    let copy = bytes ?? CText.copy(data)
    bytes = copy
    return UnsafePointer(copy)
  }

  public func change(_ body: (inout Value) -> Void) {
    body(&value)
    elements = [:]
    keys = [:]
    order = nil
  }

  /// The `order` of a set or dictionary.
  private func ordered() -> [Value] {
    if let order { return order }
    let members: [Value]
    switch value {
    case .set(let set): members = Array(set)
    case .dictionary(let entries): members = Array(entries.keys)
    default: return []
    }
    var encoded: [(bytes: [UInt8], member: Value)] = []
    encoded.reserveCapacity(members.count)
    for member in members { encoded.append(((try? CBOR.encode(member)) ?? [], member)) }
    encoded.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    let order = encoded.map { $0.member }
    self.order = order
    return order
  }

  /// The element of an array or set; nil past its end.
  public func element(at index: Int) -> ValueHandle? {
    let members = value.array ?? ordered()
    guard index >= 0, index < members.count else { return nil }
    let place = Value.integer(Int64(truncatingIfNeeded: index))
    let lent = elements[place] ?? ValueHandle(lending: members[index])
    elements[place] = lent
    return lent
  }

  public func element(for key: Value) -> ValueHandle? {
    guard let element = value.dictionary?[key] else { return nil }
    if let lent = elements[key] { return lent }
    let lent = ValueHandle(lending: element)
    elements[key] = lent
    return lent
  }

  public func entry(at index: Int) -> (key: ValueHandle, element: ValueHandle)? {
    let members = ordered()
    guard index >= 0, index < members.count, let element = element(for: members[index]) else { return nil }
    let key = keys[members[index]] ?? ValueHandle(lending: members[index])
    keys[members[index]] = key
    return (key, element)
  }
}
