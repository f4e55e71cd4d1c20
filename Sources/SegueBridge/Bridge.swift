import SegueCore

/// A program that segue-bridge acts for, whatever protocol it is read and driven by. Everything happens on one thread.
protocol Bridge: AnyObject {
  /// Called with each change of what is announced. It may be called inside any other method.
  var changed: ((BridgeChange) -> Void)? { get set }
  /// The state at this moment, as the open type has it; nil where there is nothing. Where the program does not answer
  /// within `Limits.bridgeAnswerTime`, the state is what is known of it.
  func state() -> [Value: Value]?
  /// The user goes on with it on another device.
  func wasContinued()
  /// Follows the program no more.
  func end()
  /// Opens what another device had, in the program that runs or in one that it starts. False where that is refused;
  /// otherwise `done` is called once, with whether it is open.
  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool
  /// The same, for what needs a file that is brought.
  func open(_ arrival: Arrival, _ done: @escaping (Bool) -> Void) -> Bool
  /// Whether other devices may have the files that the state names.
  var allowsFiles: Bool { get }
}

extension Bridge {
  func open(_ arrival: Arrival, _ done: @escaping (Bool) -> Void) -> Bool { open(arrival.userInfo, done) }
  var allowsFiles: Bool { false }
}

/// The state of another device's activity, and the way to its files.
struct Arrival {
  typealias Done = (Result<BroughtFile, SegueError>) -> Void

  let userInfo: [Value: Value]
  /// Brings the file of an address in the state, unless it has more bytes than this.
  let bring: (String, Int, @escaping Done) -> Void
}

/// A change in a bridged program.
enum BridgeChange: Equatable {
  /// Something else is in front there: a film, a document.
  case shows(title: String)
  /// Nothing is.
  case ended
  /// The user does something with it.
  case used
  /// Its state has changed by itself, which is no use of it.
  case aged
  /// The user sees or hears this, of all that is announced.
  case inFront
}
