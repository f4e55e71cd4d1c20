import SegueBus
import SegueCore
import SegueEngine

/// One connection at the private door: an application, or a command line.
final class Session {
  let number: SessionID
  let connection: Connection
  /// Who is at the other end: known from the socket, not from what it says.
  let caller: CallerIdentity.Verdict
  /// The process, as the kernel noted it.
  let process: Int32?
  /// Hello was said with a good token.
  var isGreeted = false
  /// Ends the connection that does not say hello in time.
  var greeting: LoopTimer?
  /// The control object here, whose signals user interfaces get, and applications do not.
  var control: BusObject?
  /// The application, once it has registered.
  var application: Registration?

  init(number: SessionID, connection: Connection, caller: CallerIdentity.Verdict, process: Int32?) {
    self.number = number
    self.connection = connection
    self.caller = caller
    self.process = process
  }
}

extension CallerIdentity.Verdict {
  /// Whether the control interface may be used: by processes of the user outside of any sandbox.
  var mayControl: Bool {
    if case .host = self { return true }
    return false
  }
}
