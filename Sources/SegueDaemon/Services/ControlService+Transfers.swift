import SegueBus
import SegueControl
import SegueCore
import SegueEngine

// Files, streams and continuations on their way, as user interfaces ask for them and stop them.

extension ControlService {
  func end(
    _ method: ControlMethod, _ id: String, done: @escaping (SegueError?) -> Void
  ) throws(SegueError) {
    let call: Event.ControlCall
    if method == .cancelContinuation {
      guard let continuation = Identifier(text: id) else {
        throw SegueError(.invalidArgument, "This is not a continuation's id.")
      }
      call = .cancel(continuation)
    } else {
      guard let transfer = Transfer.ID(id) else {
        throw SegueError(
          .invalidArgument, "This is not a transfer's id.", advice: "List them with: segue transfers")
      }
      call = .stop(transfer)
    }
    let request = replies.expect { reply, _ in
      if case .failed(let error) = reply { done(error) } else { done(nil) }
    }
    runner.handle(.control(request, call))
  }
}

extension TransferRow {
  init(_ transfer: Transfer) {
    self.init()
    id = transfer.id.description
    if case .file = transfer.id { kind = "file" } else { kind = "stream" }
    isIncoming = transfer.isIncoming
    deviceID = transfer.device?.description ?? ""
    deviceName = transfer.deviceName
    appID = transfer.appID?.string ?? ""
    appName = transfer.appName
    name = transfer.name
    state = transfer.state.rawValue
    (done, size) = (transfer.done, transfer.size)
  }
}

extension ContinuationRow {
  init(_ continuation: ContinuationOnItsWay) {
    self.init()
    self.continuation = continuation.id.hex
    activity = continuation.activity.hex
    deviceID = continuation.device.description
    deviceName = continuation.deviceName
    appName = continuation.appName
  }
}
