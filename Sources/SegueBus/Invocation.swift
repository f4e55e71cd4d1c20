import SegueCore

/// The means to answer one call, once, now or later. An invocation that is dropped without an answer answers with an
/// error, so that no caller waits in vain. Harmless when the connection or the caller is gone. Loop thread.
public final class Invocation {
  /// The connection that the call came from.
  public let connection: Connection
  /// The caller's unique name; nil on a peer-to-peer connection.
  public var sender: BusName? { address.sender }
  private let address: ReplyAddress
  private let outputSignature: String
  private var isAnswered = false

  init(_ call: Message, on connection: Connection, outputSignature: String) {
    self.connection = connection
    self.outputSignature = outputSignature
    address = ReplyAddress(call)
    connection.unanswered &+= 1
  }

  deinit {
    if !isAnswered { answer(name: BusErrorName.failed, text: "The call was dropped without an answer.") }
  }

  /// Answers with values of the method's signature. Others, or those that a bus cannot carry, become an error answer:
  /// the mistake is ours and not the caller's to wait for. A second answer is ignored.
  public func reply(_ values: [BusValue] = []) {
    guard begin() else { return }
    do throws(SegueError) {
      guard try BusValueCheck.signature(of: values) == outputSignature else {
        throw SegueError(.system, "The method's answer does not have its signature.")
      }
      let message = Message.answer(to: address, errorName: nil)
      try message.append(values)
      send(message)
    } catch { send(Message.answer(to: address, error: error)) }
  }

  /// Answers with `org.segue.Error.<name>`. A second answer is ignored.
  public func fail(_ error: SegueError) {
    guard begin() else { return }
    send(Message.answer(to: address, error: error))
  }

  /// Answers with an error of another name.
  public func fail(name: InterfaceName, text: String) { answer(name: name, text: text) }

  private func answer(name: InterfaceName, text: String) {
    guard begin() else { return }
    send(Message.answer(to: address, errorName: name, text: text))
  }

  private func begin() -> Bool {
    guard !isAnswered else { return false }
    isAnswered = true
    connection.unanswered &-= 1
    return true
  }

  /// A connection that cannot take the answer has ended, or its other side does not read. At a door this then ends the
  /// connection: a caller whose answers are dropped would wait in vain. A bus stays, since it has other callers.
  private func send(_ message: Message) {
    guard address.isWanted else { return }
    do throws(SegueError) { try connection.send(message) } catch {
      if error.code == .limitExceeded, !connection.isBus { connection.endOverloaded() }
    }
  }
}
