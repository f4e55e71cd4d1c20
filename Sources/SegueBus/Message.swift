import CDBus
import SegueCore

/// A message of D-Bus. Owns one reference on libdbus's. Not for several threads at once.
public final class Message {
  /// The type of a message.
  public enum Kind: Sendable {
    case call, reply, error, signal
  }

  private(set) var raw: OpaquePointer
  /// Whether it was sent or received, so that libdbus takes no more changes.
  private(set) var isFrozen: Bool
  private var isBroken = false
  private var signatureLength = 0

  /// Owns the caller's reference on `raw`.
  init(adopting raw: OpaquePointer, frozen: Bool) {
    self.raw = raw
    isFrozen = frozen
  }

  /// As everywhere in Swift, running out of memory ends the process.
  private convenience init(made raw: OpaquePointer?) {
    guard let raw else { fatalError("Out of memory.") }
    self.init(adopting: raw, frozen: false)
  }

  deinit { dbus_message_unref(raw) }

  // MARK: Making

  /// A call of a method. Without destination: on a peer-to-peer connection.
  public static func call(
    destination: BusName?, path: ObjectPath, interface: InterfaceName, member: MemberName
  ) -> Message {
    let message = Message(
      made: dbus_message_new_method_call(nil, path.string, interface.string, member.string))
    if let destination { dbus_message_set_destination(message.raw, destination.string) }
    return message
  }

  /// A signal, to everyone who wants it, or to one destination.
  public static func signal(
    path: ObjectPath, interface: InterfaceName, member: MemberName, destination: BusName? = nil
  ) -> Message {
    let message = Message(made: dbus_message_new_signal(path.string, interface.string, member.string))
    if let destination { dbus_message_set_destination(message.raw, destination.string) }
    return message
  }

  /// The answer to this received call.
  public func reply(_ values: [BusValue] = []) throws(SegueError) -> Message {
    let reply = Message.answer(to: ReplyAddress(self), errorName: nil)
    try reply.append(values)
    return reply
  }

  /// The error answer to this received call: `org.segue.Error.<name of the code>`, with its message and advice.
  public func errorReply(_ error: SegueError) -> Message { Message.answer(to: ReplyAddress(self), error: error) }

  /// The error answer to this received call with another name.
  public func errorReply(name: InterfaceName, text: String) -> Message {
    Message.answer(to: ReplyAddress(self), errorName: name, text: text)
  }

  static func answer(to address: ReplyAddress, errorName: InterfaceName?) -> Message {
    let kind = errorName == nil ? DBUS_MESSAGE_TYPE_METHOD_RETURN : DBUS_MESSAGE_TYPE_ERROR
    let message = Message(made: dbus_message_new(kind))
    if let errorName { dbus_message_set_error_name(message.raw, errorName.string) }
    if let sender = address.sender { dbus_message_set_destination(message.raw, sender.string) }
    // libdbus ends the process for a serial of 0, which only a call that was never sent has.
    if address.serial != 0 { dbus_message_set_reply_serial(message.raw, address.serial) }
    dbus_message_set_no_reply(message.raw, 1)
    return message
  }

  static func answer(to address: ReplyAddress, errorName: InterfaceName, text: String, advice: String = "") -> Message {
    let message = answer(to: address, errorName: errorName)
    let texts = advice.isEmpty ? [text] : [text, advice]
    let values = texts.map { BusValue.string(String(decoding: $0.utf8.prefix { $0 != 0 }, as: UTF8.self)) }
    // A text that is too long is left out, and the answer is sent without it.
    do throws(SegueError) { try message.append(values) } catch {}
    return message
  }

  static func answer(to address: ReplyAddress, error: SegueError) -> Message {
    let name = InterfaceName(SegueError.Code.busPrefix + error.code.name) ?? BusErrorName.failed
    return answer(to: address, errorName: name, text: error.message, advice: error.advice)
  }

  /// Appends arguments: all of them, or none. Throws `.invalidArgument` or `.limitExceeded` for values that a bus
  /// cannot carry and on a message that was sent or received, `.system` if descriptors ran out; the message can then
  /// not be used any more.
  public func append(_ values: [BusValue]) throws(SegueError) {
    guard !isFrozen, !isBroken else {
      throw SegueError(.invalidArgument, "The message was sent, received or broken: it takes no more arguments.")
    }
    let added = try BusValueCheck.signature(of: values).utf8.count
    guard signatureLength &+ added <= Int(DBUS_MAXIMUM_SIGNATURE_LENGTH) else {
      throw SegueError(.limitExceeded, "A bus message would have too many arguments.")
    }
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(raw, &iterator)
    for value in values where !write(value, to: &iterator) {
      isBroken = true
      throw SegueError(.system, "A bus message could not be written: out of descriptors or memory.")
    }
    signatureLength &+= added
  }

  // MARK: Reading

  /// The arguments. Throws `.limitExceeded` or `.invalidArgument` for a message from outside that is beyond a limit,
  /// `.system` where descriptors ran out. Descriptors are duplicates, owned by the values.
  public func arguments() throws(SegueError) -> [BusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(raw, &iterator) != 0 else { return [] }
    var reader = MessageReader()
    return try reader.all(&iterator)
  }

  /// The arguments of a received message, which is read for the last time: it gives up its descriptors, so that they
  /// are closed when the values are released.
  public func takeArguments() throws(SegueError) -> [BusValue] {
    let values = try arguments()
    if hasDescriptors, let empty = dbus_message_new(dbus_message_get_type(raw)) {
      dbus_message_unref(raw)
      raw = empty
    }
    return values
  }

  /// The message's type.
  public var kind: Kind {
    switch dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
    case DBUS_MESSAGE_TYPE_ERROR: .error
    default: .signal
    }
  }

  /// The sender's unique name, as the bus gives it; nil on a peer-to-peer connection.
  public var sender: String? { string(dbus_message_get_sender(raw)) }
  /// The bus name that it is for; nil for a signal to everyone, and on a peer-to-peer connection.
  public var destination: String? { string(dbus_message_get_destination(raw)) }
  /// The object that is called or that signals; nil for an answer, as are interface and member.
  public var path: String? { string(dbus_message_get_path(raw)) }
  /// The interface of the member; a call may leave it out.
  public var interface: String? { string(dbus_message_get_interface(raw)) }
  /// The method or the signal.
  public var member: String? { string(dbus_message_get_member(raw)) }
  /// The signature of all arguments.
  public var signature: String { string(dbus_message_get_signature(raw)) ?? "" }
  var serial: UInt32 { dbus_message_get_serial(raw) }
  var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }
  var hasDescriptors: Bool { dbus_message_contains_unix_fds(raw) != 0 }

  /// Whether the caller wants no reply. A message that was sent or received ignores a new value.
  public var isNoReply: Bool {
    get { dbus_message_get_no_reply(raw) != 0 }
    set { if !isFrozen { dbus_message_set_no_reply(raw, newValue ? 1 : 0) } }
  }

  /// Whether the bus must not start an application for it. A message that was sent or received ignores a new value.
  public var isNoAutoStart: Bool {
    get { dbus_message_get_auto_start(raw) == 0 }
    set { if !isFrozen { dbus_message_set_auto_start(raw, newValue ? 0 : 1) } }
  }

  /// The message to hand to libdbus, which does not change any more: a copy, if this one was handed over before.
  /// Throws `.invalidArgument` if appending to it has failed.
  func forSending() throws(SegueError) -> Message {
    guard !isBroken else { throw SegueError(.invalidArgument, "The message could not be written whole.") }
    guard replySerial != 0 || kind == .call || kind == .signal else {
      throw SegueError(.invalidArgument, "The message answers a call that was never sent.")
    }
    guard isFrozen else {
      isFrozen = true
      return self
    }
    guard let copy = dbus_message_copy(raw) else {
      throw SegueError(.system, "A bus message could not be copied: out of descriptors or memory.")
    }
    return Message(adopting: copy, frozen: true)
  }

  private func string(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}

/// The parts of a call that its answer needs. They are kept instead of the call, whose bytes would count as received
/// ones all the while and in the end stop the connection.
struct ReplyAddress {
  let serial: UInt32
  let sender: BusName?
  let isWanted: Bool

  init(_ message: Message) {
    serial = message.serial
    sender = message.sender.flatMap { BusName($0) }
    isWanted = message.kind == .call && !message.isNoReply && serial != 0
  }
}
