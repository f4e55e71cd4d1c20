import SegueCore

/// Connects an application to the session bus and to the daemon's door, and again when either is lost.
///
/// The bus comes first. There the name `<app id>.Segue` and the way to the door are asked for in one go, since the bus
/// answers the first before the daemon can answer the second; then comes registration at the door. Where the bus tells
/// (when the daemon's name has an owner again), the machine waits for that; it tries again by a timer only where nothing
/// tells.
public struct RegistrationMachine: Sendable {
  public enum Event: Sendable {
    case start
    case busConnected
    case busFailed(SegueError)
    case busLost
    /// The request for the name was answered.
    case nameOwned
    case nameTaken
    /// The bus, or the filter of a sandbox before it, does not let this application have the name.
    case nameRefused(SegueError)
    /// The process that had the name has given it up.
    case nameFree
    /// The daemon's name has an owner, or none.
    case daemonOwner(present: Bool)
    /// Registered at the door.
    case doorReady
    /// The door could not be opened. `retry`: trying again later may help, and the bus will not tell.
    case doorFailed(SegueError, retry: Bool)
    case doorLost
    case timer
  }

  public enum Effect: Equatable, Sendable {
    case connectBus
    case requestName
    /// OpenDoor, Hello, Register.
    case openDoor
    /// Leave the door, which is open or opens: the application cannot have its name.
    case leaveDoor
    case retry(afterMilliseconds: UInt64)
    case report(Status)
  }

  /// The state that the application is notified of.
  public enum Status: Equatable, Sendable {
    case registering
    case registered
    case nameTaken
    case lost(SegueError)
  }

  private enum Bus: Sendable {
    case down
    case connecting
    case naming
    case up(named: Bool)
    /// Connected, without a name: nothing but another bus can change that.
    case refused
  }

  private enum Door: Sendable {
    case closed
    /// `news`: a daemon took the name since this attempt began, so that a refusal may come from the daemon before it.
    case opening(news: Bool)
    case open
  }

  private var bus = Bus.down
  /// Whether the daemon's name has an owner; nil until this bus has said so.
  private var hasDaemon: Bool?
  private var door = Door.closed
  private var attempts: UInt64 = 0
  public private(set) var status = Status.registering

  public init() {}

  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .start, .timer:
      return next()
    case .busConnected:
      guard case .connecting = bus else { return [] }
      bus = .naming
      hasDaemon = nil
      return [.requestName] + openDoor()
    case .busFailed(let error):
      guard case .connecting = bus else { return [] }
      bus = .down
      return [report(.lost(error)), retry()].compactMap { $0 }
    case .busLost:
      // The door is a connection of its own and may live on, but without the bus the application cannot be launched.
      bus = .down
      return [report(.lost(Self.noBus)), retry()].compactMap { $0 }
    case .nameOwned, .nameTaken:
      guard case .naming = bus else { return [] }
      var named = false
      if case .nameOwned = event { named = true }
      bus = .up(named: named)
      attempts = 0
      return next()
    case .nameRefused(let error):
      guard case .naming = bus else { return [] }
      bus = .refused
      defer { door = .closed }
      let told = [report(.lost(error))].compactMap { $0 }
      if case .closed = door { return told }
      return [.leaveDoor] + told
    case .nameFree:
      guard case .up(named: false) = bus else { return [] }
      bus = .naming
      return [.requestName]
    case .daemonOwner(present: true):
      // The bus's first answer is about the daemon that is being asked already.
      let isNews = hasDaemon != nil
      hasDaemon = true
      if case .opening = door, isNews { door = .opening(news: true) }
      guard case .up = bus, case .closed = door else { return [] }
      attempts = 0
      return next()
    case .daemonOwner(present: false):
      hasDaemon = false
      return []  // The door's own end tells; the daemon may be gone from the bus alone.
    case .doorReady:
      guard case .opening = door else { return [] }
      door = .open
      attempts = 0
      return next()
    case .doorFailed(let error, let again):
      guard case .opening(let news) = door else { return [] }
      door = .closed
      let report = [report(.lost(error))].compactMap { $0 }
      if again { return report + [retry()] }
      return news ? report + next() : report
    case .doorLost:
      guard case .open = door else { return [] }
      door = .closed
      // The bus tells when the daemon is back; opening at once starts it where it crashed.
      return [report(.lost(Self.noDaemon)), retry()].compactMap { $0 }
    }
  }

  private mutating func next() -> [Effect] {
    switch (bus, door) {
    case (.down, _):
      bus = .connecting
      return [.connectBus]
    case (.up, .closed):
      return openDoor()
    case (.up(let named), .open):
      return [report(named ? .registered : .nameTaken)].compactMap { $0 }
    case (.connecting, _), (.naming, _), (.refused, _), (.up, .opening):
      return []
    }
  }

  private mutating func openDoor() -> [Effect] {
    guard case .closed = door else { return [] }
    door = .opening(news: false)
    return [.openDoor]
  }

  private mutating func report(_ new: Status) -> Effect? {
    guard status != new else { return nil }
    status = new
    return .report(new)
  }

  /// Twice as long each time: 100 ms, 200 ms, … up to `Limits.reconnectTime`.
  private mutating func retry() -> Effect {
    let time = min(Limits.reconnectTime, Limits.reconnectTimeFirst &<< min(attempts, 10))
    attempts &+= 1
    return .retry(afterMilliseconds: time)
  }

  private static let noBus = SegueError(
    .connectionUnavailable, "The session bus is gone.", advice: "Segue comes back to it by itself.")
  private static let noDaemon = SegueError(
    .connectionUnavailable, "The Segue daemon is gone.", advice: "Segue comes back to it by itself.")
}
