import SegueCore

/// The window in which this device can be paired, and the one session in it (docs/pairing.md).
///
/// A window is opened by the user only, and closes by itself. One session at a time; one try of digits or of a code in a
/// window; after three wrong ones nobody can pair for a minute.
///
/// Where both devices dial, or one does at several addresses, there are several connections between them, which each
/// device may see come in another order. The device with the smaller key chooses: the first that it sees. The other one
/// goes on with that on which it hears something.
struct Pairing {
  private(set) var state = PairingState.closed
  private var window: Window?
  /// The connections to the other device. Once something has come from there, one is left.
  private(set) var talks: [Talk] = []
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

  struct Talk {
    let connection: PairingConnection
    var session: PairingSession
  }

  /// Whether the user waits for a device that pairs too, and is to be found. A code is for whoever has copied it.
  var isLooking: Bool { state == .open(nil) && talks.isEmpty }

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
    case .received(let connection, let bytes): received(bytes, on: connection, &turn)
    case .closed(let connection): closed(connection, &turn)
    case .notReached(let error):
      // Whoever has dialled this device meanwhile may be the one.
      guard state == .reaching, talks.isEmpty else { return }
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
    if let first = talks.first?.session {
      guard first.isUnheard, first.start.key == key, first.start.otherKey == otherKey,
        talks.count < Limits.pairingConnections
      else {
        if let busy = try? PairingMessage.refused(.limitExceeded).encode() {
          turn.emit(.pairing(.send(connection, busy)))
        }
        return turn.emit(.pairing(.close(connection)))
      }
    }
    let start = PairingSession.Start(
      role: role, key: key, otherKey: otherKey, name: name,
      addresses: Array(window.addresses.prefix(Limits.deviceAddresses)), secret: window.secret,
      expected: window.wish.code?.device)
    let (session, effects) = PairingSession.begin(start, crypto)
    talks.append(Talk(connection: connection, session: session))
    // Of several connections, the device that chooses says something on the first only.
    if talks.count == 1 || !session.start.chooses { perform(effects, on: connection, &turn) }
  }

  private mutating func received(_ bytes: [UInt8], on connection: PairingConnection, _ turn: inout Turn) {
    guard let index = talks.firstIndex(where: { $0.connection == connection }) else { return }
    let event: PairingSession.Event
    do throws(SegueError) { event = .received(try PairingMessage.decode(bytes)) } catch { event = .ended(error) }
    if talks.count > 1 {
      if talks[index].session.start.chooses {
        // The other device says something on all that it has dialled.
        guard index == 0 else { return }
      } else if event.isRefusal {
        talks.remove(at: index)
        return turn.emit(.pairing(.close(connection)))
      }
      let chosen = talks.remove(at: index)
      closeTalks(&turn)
      talks = [chosen]
    }
    step(event, &turn)
  }

  private mutating func closed(_ connection: PairingConnection, _ turn: inout Turn) {
    guard let index = talks.firstIndex(where: { $0.connection == connection }) else { return }
    let isChosen = index == 0 && talks[index].session.start.chooses
    if isChosen || talks.count == 1 { step(.closed, &turn) } else { talks.remove(at: index) }
  }

  private mutating func closeTalks(_ turn: inout Turn) {
    for talk in talks { turn.emit(.pairing(.close(talk.connection))) }
    talks = []
  }

  private mutating func step(_ event: PairingSession.Event, _ turn: inout Turn) {
    guard let connection = talks.first?.connection else { return }
    perform(talks[0].session.handle(event), on: connection, &turn)
  }

  private mutating func perform(
    _ effects: [PairingSession.Effect], on connection: PairingConnection, _ turn: inout Turn
  ) {
    for effect in effects {
      switch effect {
      case .send(let message):
        if let bytes = try? message.encode() { turn.emit(.pairing(.send(connection, bytes))) }
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
    closeTalks(&turn)
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
