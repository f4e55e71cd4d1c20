// D-Bus messages, as a bus and the door deliver them. By the first byte: the bytes of one message, or a dictionary
// that is made of what the input chooses. Every message that is read can be written again, and so can everything that
// the control interface finds in it.

import CDBus
import SegueControl
import SegueCore

@testable import SegueBus

func fuzzControl(_ input: [UInt8]) {
  var bytes = Bytes(input)
  guard bytes.bool() else { return fuzzBusMessage(bytes.all()) }
  let value = BusValue.dictionary(busDictionary(&bytes, depth: 0))
  fuzzCodecs(value)
  // `append` refuses a value that a bus cannot carry.
  let message = Message.signal(
    path: ObjectPath(constant: "/a"), interface: InterfaceName(constant: "a.b"), member: MemberName(constant: "c"))
  do throws(SegueError) {
    try message.append([value])
    fuzzArguments(message)
  } catch {
    checkShown(error)
  }
}

private func fuzzBusMessage(_ bytes: [UInt8]) {
  var error = DBusError()
  dbus_error_init(&error)
  defer { dbus_error_free(&error) }
  let raw = bytes.withUnsafeBytes {
    dbus_message_demarshal($0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), &error)
  }
  guard let raw else { return }
  let message = Message(adopting: raw, frozen: true)
  fuzzArguments(message)
  _ = ControlSignal(message)
  let address = ReplyAddress(message)
  _ = Message.answer(to: address, error: SegueError(.system, message.member ?? "", advice: message.path ?? ""))
}

/// The arguments that are read from a message have its signature, and can be written.
private func fuzzArguments(_ message: Message) {
  let values: [BusValue]
  do throws(SegueError) { values = try message.arguments() } catch {
    check([.invalidArgument, .limitExceeded, .system].contains(error.code), "refused as \(error.code.name)")
    return checkShown(error)
  }
  check(BusValue.signature(of: values) == message.signature, "read as \(BusValue.signature(of: values))")
  for value in values { fuzzCodecs(value) }
  let copy = Message.signal(
    path: ObjectPath(constant: "/a"), interface: InterfaceName(constant: "a.b"), member: MemberName(constant: "c"))
  do throws(SegueError) {
    try copy.append(values)
    check(isSame(copy.signature, message.signature), "written as \(copy.signature)")
  } catch {
    fatalError("what was read cannot be written: \(error.message), \(message.signature)")
  }
}

private func fuzzCodecs(_ value: BusValue) {
  fuzzCodec(ActivityRow.self, value)
  fuzzCodec(OfferRow.self, value)
  fuzzCodec(StoredRow.self, value)
  fuzzCodec(DeviceRow.self, value)
  fuzzCodec(ExplanationRow.self, value)
  fuzzCodec(LastContinuation.self, value)
  fuzzCodec(DaemonStatus.self, value)
  fuzzCodec(DeviceIdentity.self, value)
  fuzzCodec(Finding.self, value)
  fuzzCodec(ContinueOptions.self, value)
  for (type, _) in DefaultChoices.decode(value) ?? [] { _ = ActivityType(type) }
  guard let dictionary = value.asDictionary else { return }
  _ = try? DoorActivity(dictionary)
  _ = try? DoorSnapshot.decode(dictionary)
  _ = DoorSaveRequest(dictionary)
}

/// A value that is understood is written so that it is read again as the same.
private func fuzzCodec<T: ControlValue>(_ type: T.Type, _ value: BusValue) {
  guard let read = T.of(busValue: value) else { return }
  check(T.of(busValue: read.busValue) == read, "another \(T.self) when it is read again")
  var concealed = read
  concealed.conceal()
  check(T.of(busValue: concealed.busValue) == concealed, "another \(T.self) when it is concealed")
}
