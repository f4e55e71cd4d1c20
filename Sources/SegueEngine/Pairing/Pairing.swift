import SegueCore

/// The window in which this device can be paired, and the one session in it (docs/pairing.md).
///
/// A window is opened by the user only, and closes by itself. One session at a time; one try of digits or of a code in a
/// window; after three wrong ones nobody can pair for a minute.
struct Pairing {
  private(set) var state = PairingState.closed
  private var window: Window?
  private var current: (connection: PairingConnection, session: PairingSession)?
  private var wrong = 0
  private var pausedUntil: Instant?
  private let device: DeviceID
  private let name: String
  private let crypto: (any PairingCrypto & Sendable)?

  /// What the user has opened.
  private struct Window {
    var wish: PairingWish
    /// Of the code that is shown or used.
    var secret: [UInt8]?
    /// Where this device can be dialled.
    var addresses: [LinkAddress]
    var until: Instant
  }

  /// Whether the user waits for a device that pairs too, and is to be found. A code is for whoever has copied it.
  var isLooking: Bool { state == .open(nil) && current == nil }

  /// When the window closes; nil: there is none.
  var until: Instant? { window?.until }

  init(_ settings: EngineSettings) {
    device = settings.device
    name = settings.deviceName
    crypto = settings.crypto
  }

  // MARK: The user

  /// Opens a window, in place of any other. Throws `limitExceeded` after too many wrong tries, and `invalidArgument` for
  /// a code that cannot be used.
  mutating func open(_ wish: PairingWish, addresses: [LinkAddress], _ turn: inout Turn) throws(SegueError) {
    guard let crypto else { throw SegueError(.system, "This device has no key to pair with.") }
    if let pausedUntil, turn.now < pausedUntil {
      throw SegueError(
        .limitExceeded, "Three times the digits or the code were wrong, so that nobody can pair for a while.",
        advice: "Wait \(turn.now.time(until: pausedUntil) / 1000 + 1) seconds.")
    }
    if let code = wish.code {
      guard code.device != device else {
        throw SegueError(.invalidArgument, "This is this device's own code.", advice: "Use it on the other device.")
      }
      guard code.expires > turn.moment.seconds else {
        throw SegueError(.invalidArgument, "This code has expired.", advice: "Show a new one: segue pair --code")
      }
    }
    close(Self.replaced, &turn)
    var window = Window(
      wish: wish, secret: wish.code?.secret, addresses: addresses, until: turn.now + Limits.pairingWindowTime)
    var shown: PairingCode?
    if wish.showsCode {
      let secret = crypto.random(PairingCode.secretLength)
      window.secret = secret
      window.until = turn.now + Limits.pairingCodeTime
      shown = PairingCode(
        device: device, secret: secret, expires: turn.moment.seconds + Limits.pairingCodeTime / 1000,
        addresses: Array(addresses.prefix(Limits.deviceAddresses)))
    }
    self.window = window
    let others = wish.code?.addresses ?? wish.addresses
    set(others.isEmpty ? .open(shown) : .reaching, &turn)
    turn.emit(.pairing(.open(true)))
    if !others.isEmpty { turn.emit(.pairing(.dial(others))) }
  }

  /// The window is still shown, and stays open.
  mutating func renew(_ turn: inout Turn) throws(SegueError) {
    guard let window else {
      throw SegueError(.notFound, "This device does not pair.", advice: "Begin with: segue pair")
    }
    // A code has the time that stands in it.
    if !window.wish.showsCode { self.window?.until = turn.now + Limits.pairingWindowTime }
  }

  mutating func type(_ digits: String, _ turn: inout Turn) throws(SegueError) {
    guard case .typing = state else { throw Self.nothingAsked }
    step(.typed(digits), &turn)
  }

  mutating func confirm(_ isRight: Bool, _ turn: inout Turn) throws(SegueError) {
    guard case .asking = state else { throw Self.nothingAsked }
    step(.confirmed(isRight), &turn)
  }

  /// The user ends it, or the time is over.
  mutating func close(_ error: SegueError, _ turn: inout Turn) {
    step(.ended(error), &turn)
    guard window != nil else { return }
    shut(&turn)
    set(error.code == .userCancelled ? .closed : .failed(error, remembered: nil), &turn)
  }

  // MARK: What happens

  mutating func handle(_ event: PairingEvent, _ turn: inout Turn) {
    switch event {
    case .connected(let connection, let role, let key, let otherKey):
      connected(connection, role, key: key, otherKey: otherKey, &turn)
    case .received(current?.connection, let bytes):
      do throws(SegueError) {
        step(.received(try PairingMessage.decode(bytes)), &turn)
      } catch {
        step(.ended(error), &turn)
      }
    case .closed(current?.connection): step(.closed, &turn)
    case .received, .closed: break
    case .notReached(let error):
      guard state == .reaching else { return }
      shut(&turn)
      set(.failed(error, remembered: nil), &turn)
    case .remembered(let error): step(.remembered(error), &turn)
    }
  }

  /// Devices in the network pair too, at these addresses.
  func found(_ places: [LinkAddress], _ turn: inout Turn) {
    if isLooking, !places.isEmpty { turn.emit(.pairing(.dial(places))) }
  }

  /// The window's time is over.
  mutating func expired(_ turn: inout Turn) {
    guard let until, until <= turn.now else { return }
    close(Self.timeOver, &turn)
  }

  private mutating func connected(
    _ connection: PairingConnection, _ role: PairingSession.Role, key: [UInt8], otherKey: [UInt8],
    _ turn: inout Turn
  ) {
    guard let window, let crypto else { return turn.emit(.pairing(.close(connection))) }
    if let current {
      guard crosses(current.session, role, key: key, otherKey: otherKey) else {
        if let busy = try? PairingMessage.refused(.limitExceeded).encode() {
          turn.emit(.pairing(.send(connection, busy)))
        }
        return turn.emit(.pairing(.close(connection)))
      }
      turn.emit(.pairing(.close(current.connection)))
    }
    let start = PairingSession.Start(
      role: role, key: key, otherKey: otherKey, name: name,
      addresses: Array(window.addresses.prefix(Limits.deviceAddresses)), secret: window.secret,
      expected: window.wish.code?.device)
    let (session, effects) = PairingSession.begin(start, crypto)
    current = (connection, session)
    perform(effects, &turn)
  }

  /// Both have dialled at once, and nobody was asked or shown anything: the connection counts whose dialler has the smaller
  /// key. Whether the new one takes the place of the session's.
  private func crosses(
    _ session: PairingSession, _ role: PairingSession.Role, key: [UInt8], otherKey: [UInt8]
  ) -> Bool {
    guard state == .open(nil) || state == .reaching, session.start.role != role, session.start.key == key,
      session.start.otherKey == otherKey
    else { return false }
    return (role == .dialler) == key.lexicographicallyPrecedes(otherKey)
  }

  private mutating func step(_ event: PairingSession.Event, _ turn: inout Turn) {
    guard let effects = current?.session.handle(event) else { return }
    perform(effects, &turn)
  }

  private mutating func perform(_ effects: [PairingSession.Effect], _ turn: inout Turn) {
    for effect in effects {
      switch effect {
      case .send(let message):
        if let current, let bytes = try? message.encode() {
          turn.emit(.pairing(.send(current.connection, bytes)))
        }
      case .show(let digits, let name): set(.showing(digits: digits, name: name), &turn)
      case .askDigits(let name): set(.typing(name: name), &turn)
      case .askConfirmation(let name): set(.asking(name: name), &turn)
      case .remember(var peer):
        set(.ending, &turn)
        peer.addresses = Addresses.taken(peer.addresses, own: window?.addresses ?? [], withNames: true)
        // What leads from this machine only, the other one cannot know.
        peer.addresses += window?.wish.addresses.filter { $0.hasScope } ?? []
        turn.emit(.pairing(.remember(peer)))
      case .forget(let peer): turn.emit(.pairing(.forget(peer.device)))
      case .finished(let outcome): finished(outcome, &turn)
      }
    }
  }

  private mutating func finished(_ outcome: PairingSession.Outcome, _ turn: inout Turn) {
    if let current { turn.emit(.pairing(.close(current.connection))) }
    current = nil
    switch outcome {
    case .paired(let peer):
      wrong = 0
      shut(&turn)
      set(.paired(peer.device, name: peer.name), &turn)
    case .failed(let error, let remembered, let isGuess):
      if isGuess {
        wrong += 1
        if wrong >= Limits.pairingFailures {
          wrong = 0
          pausedUntil = turn.now + Limits.pairingPause
        }
      } else if case .open = state {
        // A connection that told nothing takes nobody's window away.
        return
      }
      shut(&turn)
      set(.failed(error, remembered: remembered?.device), &turn)
    }
  }

  private mutating func shut(_ turn: inout Turn) {
    window = nil
    turn.emit(.pairing(.open(false)))
  }

  private mutating func set(_ state: PairingState, _ turn: inout Turn) {
    guard state != self.state else { return }
    self.state = state
    turn.emit(.signal(.pairingChanged))
  }

  // MARK: Errors

  static let cancelled = SegueError(.userCancelled, "The pairing was cancelled.")
  private static let replaced = SegueError(.userCancelled, "Another pairing was begun.")
  private static let timeOver = SegueError(
    .remoteApplicationTimedOut, "The time to pair is over.", advice: "Pair again, on both devices.")
  private static let nothingAsked = SegueError(
    .notFound, "No pairing waits for this.", advice: "See how far it is with: segue pair")
}
