import SegueCore

/// The window in which this device can be paired, and the one session in it (docs/pairing.md).
///
/// A window is opened by the user only, and closes by itself. One session at a time; one try of digits or of a code in a
/// window; after three wrong ones nobody can pair for a minute.
struct Pairing {
  private(set) var state = PairingState.closed
  private var wish = PairingWish()
  private var session: PairingSession?
  private var connection: PairingConnection?
  /// The throw-away keys of the session: the dialler's, the other one's.
  private var keys: (dialler: [UInt8], other: [UInt8]) = ([], [])
  private var secret: [UInt8]?
  private var isOpen = false
  private(set) var until: Instant?
  private var wrong = 0
  private var pausedUntil: Instant?
  private let device: DeviceID
  private let name: String
  private let crypto: (any PairingCrypto & Sendable)?

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
    self.wish = wish
    isOpen = true
    until = turn.now + Limits.pairingWindowTime
    secret = wish.code?.secret
    var shown: PairingCode?
    if wish.showsCode {
      let secret = crypto.random(PairingCode.secretLength)
      self.secret = secret
      until = turn.now + Limits.pairingCodeTime
      shown = PairingCode(
        device: device, secret: secret, expires: turn.moment.seconds + Limits.pairingCodeTime / 1000,
        addresses: Array(addresses.prefix(Limits.deviceAddresses)))
    }
    let addresses = wish.code?.addresses ?? wish.addresses
    set(addresses.isEmpty ? .open(shown) : .reaching, &turn)
    turn.emit(.pairing(.open(true)))
    if !addresses.isEmpty { turn.emit(.pairing(.dial(addresses))) }
  }

  /// The window is still shown, and stays open.
  mutating func renew(_ turn: inout Turn) throws(SegueError) {
    guard isOpen else {
      throw SegueError(.notFound, "This device does not pair.", advice: "Begin with: segue pair")
    }
    // A code has the time that stands in it.
    if !wish.showsCode { until = turn.now + Limits.pairingWindowTime }
  }

  mutating func type(_ digits: String, addresses: [LinkAddress], _ turn: inout Turn) throws(SegueError) {
    guard case .typing = state else { throw Self.nothingAsked }
    handle(.typed(digits), addresses, &turn)
  }

  mutating func confirm(_ isRight: Bool, addresses: [LinkAddress], _ turn: inout Turn) throws(SegueError) {
    guard case .asking = state else { throw Self.nothingAsked }
    handle(.confirmed(isRight), addresses, &turn)
  }

  /// The user ends it, or the time is over.
  mutating func close(_ error: SegueError, _ turn: inout Turn) {
    handle(.ended(error), [], &turn)
    guard isOpen else { return }
    shut(&turn)
    set(error.code == .userCancelled ? .closed : .failed(error, remembered: nil), &turn)
  }

  // MARK: What happens

  mutating func handle(_ event: PairingEvent, addresses: [LinkAddress], _ turn: inout Turn) {
    switch event {
    case .connected(let connection, let role, let key, let otherKey):
      connected(connection, role, key: key, otherKey: otherKey, addresses, &turn)
    case .received(connection, let bytes):
      do throws(SegueError) {
        handle(.received(try PairingMessage.decode(bytes)), addresses, &turn)
      } catch {
        handle(.ended(error), addresses, &turn)
      }
    case .closed(connection): handle(.closed, addresses, &turn)
    case .received, .closed: break
    case .found(let found):
      // A code is for whoever has copied it.
      if state == .open(nil), session == nil { turn.emit(.pairing(.dial(found))) }
    case .notReached(let error):
      guard state == .reaching else { return }
      shut(&turn)
      set(.failed(error, remembered: nil), &turn)
    case .remembered(let error): handle(.remembered(error), addresses, &turn)
    }
  }

  /// The window's time is over.
  mutating func expired(_ turn: inout Turn) {
    guard let until, until <= turn.now else { return }
    close(Self.timeOver, &turn)
  }

  private mutating func connected(
    _ connection: PairingConnection, _ role: PairingSession.Role, key: [UInt8], otherKey: [UInt8],
    _ addresses: [LinkAddress], _ turn: inout Turn
  ) {
    guard isOpen, let crypto else { return turn.emit(.pairing(.close(connection))) }
    let keys = role == .dialler ? (dialler: key, other: otherKey) : (dialler: otherKey, other: key)
    if let former = self.connection {
      // Both have dialled at once: the connection counts whose dialler has the smaller key.
      guard self.keys.dialler == keys.other, self.keys.other == keys.dialler,
        keys.dialler.lexicographicallyPrecedes(keys.other)
      else {
        if let busy = try? PairingMessage.refused(.limitExceeded).encode() {
          turn.emit(.pairing(.send(connection, busy)))
        }
        return turn.emit(.pairing(.close(connection)))
      }
      turn.emit(.pairing(.close(former)))
    }
    let start = PairingSession.Start(
      role: role, key: key, otherKey: otherKey, name: name, addresses: addresses, secret: secret,
      expected: wish.code?.device)
    let (session, effects) = PairingSession.begin(start, crypto)
    (self.session, self.connection, self.keys) = (session, connection, keys)
    perform(effects, addresses, &turn)
  }

  private mutating func handle(_ event: PairingSession.Event, _ addresses: [LinkAddress], _ turn: inout Turn) {
    guard let effects = session?.handle(event) else { return }
    perform(effects, addresses, &turn)
  }

  private mutating func perform(
    _ effects: [PairingSession.Effect], _ addresses: [LinkAddress], _ turn: inout Turn
  ) {
    for effect in effects {
      switch effect {
      case .send(let message):
        if let connection, let bytes = try? message.encode() { turn.emit(.pairing(.send(connection, bytes))) }
      case .show(let digits, let name): set(.showing(digits: digits, name: name), &turn)
      case .askDigits(let name): set(.typing(name: name), &turn)
      case .askConfirmation(let name): set(.asking(name: name), &turn)
      case .remember(var peer):
        set(.ending, &turn)
        peer.addresses = Addresses.taken(peer.addresses, own: addresses, withNames: true)
        turn.emit(.pairing(.remember(peer)))
      case .forget(let peer): turn.emit(.pairing(.forget(peer.device)))
      case .finished(let outcome): finished(outcome, &turn)
      }
    }
  }

  private mutating func finished(_ outcome: PairingSession.Outcome, _ turn: inout Turn) {
    if let connection { turn.emit(.pairing(.close(connection))) }
    (session, connection) = (nil, nil)
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
    (isOpen, until, secret) = (false, nil, nil)
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
