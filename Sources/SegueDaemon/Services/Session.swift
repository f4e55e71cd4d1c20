import SegueBus
import SegueCore
import SegueEngine

/// One connection at the private door: an application, or a command line.
final class Session {
  let number: SessionID
  let connection: Connection
  /// The identity of the process at the other end, known from the socket and not from what it says.
  let caller: CallerIdentity.Verdict
  /// The session has said hello with a valid token.
  var isGreeted = false
  /// It has shown a token, good or not: a connection has one guess.
  var hasSaidHello = false
  /// The door is so full that only an application may stay.
  var mustRegister = false
  /// Ends the connection if hello, or the registration that is asked for, does not come in time.
  var greeting: LoopTimer?
  /// The control object of this session. User interfaces get its signals; a session that registers as an application
  /// loses it.
  var control: BusObject?
  /// The files whose progress was reported to it, and not acknowledged by it.
  var transfersTold: Set<UInt64> = []
  /// The application, once it has registered.
  var application: RegisteredCaller?

  init(number: SessionID, connection: Connection, caller: CallerIdentity.Verdict) {
    self.number = number
    self.connection = connection
    self.caller = caller
  }
}

extension CallerIdentity.Verdict {
  /// Whether the control interface may be used: by processes of the user outside of any sandbox.
  var mayControl: Bool {
    if case .host = self { return true }
    return false
  }
}
