import SegueCore

/// The window in which this device can be paired, and the one session in it (docs/pairing.md).
///
/// Only the user opens a window. It closes when its time is over, or when its holder leaves. With digits, a window
/// allows one try, which is over as soon as one of the two sides may know them: the try belongs to the first device
/// from which a message arrives. With a code, any number of devices may try, one after the other or at once, since its
/// secret cannot be guessed.
///
/// If both devices dial, or one dials several addresses, there are several connections between them, which each device
/// may see arrive in another order. The device with the smaller key chooses the first connection that it sees. The
/// other device goes on with the connection on which it receives a message.
struct Pairing {
  private(set) var state = PairingState.closed
  private var window: Window?
  /// The connections to other devices. Once a try has begun, one is left.
  private(set) var talks: [Talk] = []
  private var guesses = PairingGuesses()
  private let device: DeviceID
  private let name: String
  private let crypto: (any PairingCrypto & Sendable)?

  /// A window that the user has opened.
  private struct Window {
    var wish: PairingWish
    /// The holder, which shows the window.
    var holder: PairingHolder?
    /// The secret of the code that is shown or used.
    var secret: [UInt8]?
    /// The addresses at which this device can be dialled.
    var addresses: [LinkAddress]
    var until: Instant
    /// The error of the dials that came to nothing, while another device may still dial this one.
    var unreached: SegueError?
  }

  struct Talk {
    let connection: PairingConnection
    var session: PairingSession
    /// When the other device must have answered.
    var until: Instant?

    /// Whether both are connections between the same two devices.
    func isBeside(_ other: Talk) -> Bool {
      session.start.key == other.session.start.key && session.start.otherKey == other.session.start.otherKey
    }
  }

  /// Whether the user waits for a device that is paired at the same time, and wants it to be found. A code is meant for
  /// the device to which it was copied, so no device is looked for.
  var isLooking: Bool { state == .open(nil) && alone == nil }

  /// When there is something to do: the window closes, or an answer is late; nil: this device does not pair.
  var until: Instant? { (talks.compactMap { $0.until } + (window.map { [$0.until] } ?? [])).min() }

  /// The session that has the window for itself.
  private var alone: Talk? { talks.first { $0.session.isAlone } }

  init(_ settings: EngineSettings) {
    device = settings.device
    name = settings.deviceName
    crypto = settings.crypto
  }

  // MARK: The user

  /// Opens a window, in place of any other. Throws `limitExceeded` if too many tries of digits were undecided, and
  /// `invalidArgument` for a code that cannot be used.
  mutating func open(
    _ wish: PairingWish, by holder: PairingHolder?, addresses: [LinkAddress], _ turn: inout Turn
  ) throws(SegueError) {
    guard let crypto else { throw SegueError(.system, "This device has no key to pair with.") }
    try checkPause(wish, turn)
    if let code = wish.code {
      guard code.device != device else {
        throw SegueError(.invalidArgument, "This is this device's own code.", advice: "Use it on the other device.")
      }
      guard code.expires > turn.moment.seconds else {
        throw SegueError(.invalidArgument, "This code has expired.", advice: "Show a new one: segue pair --code")
      }
    }
    let others = wish.code.map { Addresses.taken($0.addresses, own: addresses) } ?? wish.addresses
    guard wish.code == nil || !others.isEmpty else {
      throw SegueError(
        .connectionUnavailable, "The code names no address that can be dialled from here.",
        advice: "See whether both devices have a network, or pair with digits: segue pair HOST:PORT")
    }
    close(Self.replaced, &turn)
    // The end of the former window may have counted as a guess.
    try checkPause(wish, turn)
    var window = Window(
      wish: wish, holder: holder, secret: wish.code?.secret, addresses: addresses,
      until: turn.now + Limits.pairingWindowTime)
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
    set(others.isEmpty ? .open(shown) : .reaching, &turn)
    turn.emit(.pairing(.open(true)))
    if !others.isEmpty { turn.emit(.pairing(.dial(others))) }
  }

  /// Throws while tries of digits are paused. A code can still be used, so that no device can keep the user from
  /// pairing by beginning and leaving.
  private func checkPause(_ wish: PairingWish, _ turn: Turn) throws(SegueError) {
    if wish.usesDigits, let rest = guesses.rest(at: turn.now) { throw Self.paused(rest) }
  }

  /// The window is still shown, now by this holder, and stays open.
  mutating func renew(by holder: PairingHolder?, _ turn: inout Turn) throws(SegueError) {
    guard let window else {
      throw SegueError(.notFound, "This device does not pair.", advice: "Begin with: segue pair")
    }
    self.window?.holder = holder
    // A code is valid only for the time that it states.
    if !window.wish.showsCode { self.window?.until = turn.now + Limits.pairingWindowTime }
  }

  /// Throws `invalidArgument` for text that is not six digits: that does not count as a try.
  mutating func type(_ text: String, _ turn: inout Turn) throws(SegueError) {
    guard case .typing = state, let alone else { throw Self.nothingAsked }
    guard PairingAgreement.digits(in: text) != nil else { throw Self.noDigits }
    step(.typed(text), alone.connection, &turn)
  }

  mutating func confirm(_ isRight: Bool, _ turn: inout Turn) throws(SegueError) {
    guard case .asking = state, let alone else { throw Self.nothingAsked }
    step(.confirmed(isRight), alone.connection, &turn)
  }

  /// The user ends the pairing, or its time is over.
  mutating func close(_ error: SegueError, _ turn: inout Turn) {
    if let alone { step(.ended(error), alone.connection, &turn) }
    guard window != nil else { return }
    for talk in talks where !talk.session.isAlone { refuse(talk.connection, error.code, &turn) }
    talks.removeAll { !$0.session.isAlone }
    shut(&turn)
    set(error.code == .userCancelled ? .closed : .failed(error, remembered: nil), &turn)
  }

  /// Closes the window if its holder has left.
  mutating func left(_ holder: PairingHolder, _ turn: inout Turn) {
    if window?.holder == holder { close(Self.cancelled, &turn) }
  }

  // MARK: Events

  mutating func handle(_ event: PairingEvent, _ turn: inout Turn) {
    switch event {
    case .link(.connected(let connection, let role, let key, let otherKey)):
      connected(connection, role, key: key, otherKey: otherKey, &turn)
    case .link(.received(let connection, let bytes)): received(bytes, on: connection, &turn)
    case .link(.closed(let connection)): over(.closed, connection, &turn)
    case .link(.notReached(let error)):
      window?.unreached = error
      endUnreached(&turn)
    case .remembered(let error, let wasPaired):
      if let alone { step(.remembered(error, wasPaired: wasPaired), alone.connection, &turn) }
    case .left(let holder): left(holder, &turn)
    }
  }

  /// Devices at these addresses in the network are being paired, too.
  func found(_ places: [LinkAddress], _ turn: inout Turn) {
    if isLooking, !places.isEmpty { turn.emit(.pairing(.dial(places))) }
  }

  /// An answer is late, or the window's time is over.
  mutating func expired(_ turn: inout Turn) {
    for talk in talks { if let until = talk.until, until <= turn.now { over(.silent, talk.connection, &turn) } }
    if let window, window.until <= turn.now { close(Self.timeOver, &turn) }
  }

  private mutating func connected(
    _ connection: PairingConnection, _ role: PairingRole, key: [UInt8], otherKey: [UInt8],
    _ turn: inout Turn
  ) {
    guard let window, let crypto else { return turn.emit(.pairing(.close(connection))) }
    let start = PairingSession.Start(
      role: role, key: key, otherKey: otherKey, name: name,
      addresses: Array(window.addresses.prefix(Limits.deviceAddresses)), secret: window.secret,
      expected: window.wish.code?.device)
    let (session, effects) = PairingSession.begin(start, crypto)
    let talk = Talk(connection: connection, session: session, until: turn.now + Limits.pairingAnswerTime)
    let isFirst = !talks.contains { $0.isBeside(talk) }
    guard alone == nil, makeRoom(for: talk, &turn) else { return refuse(connection, .limitExceeded, &turn) }
    talks.append(talk)
    // If there are several connections, the device that chooses sends on the first only.
    if isFirst || !session.start.chooses { perform(effects, on: connection, &turn) }
  }

  /// If all connection slots are taken, the oldest one loses its slot to a new connection: an honest device needs only
  /// milliseconds. Returns whether there is room.
  private mutating func makeRoom(for new: Talk, _ turn: inout Turn) -> Bool {
    guard talks.count >= Limits.pairingConnections else { return true }
    guard let victim = talks.first(where: { !$0.isBeside(new) }) else { return false }
    talks.removeAll { $0.connection == victim.connection }
    refuse(victim.connection, .limitExceeded, &turn)
    return true
  }

  private mutating func received(_ bytes: [UInt8], on connection: PairingConnection, _ turn: inout Turn) {
    guard let talk = talks.first(where: { $0.connection == connection }) else { return }
    let event: PairingSession.Event
    do throws(SegueError) { event = .received(try PairingMessage.decode(bytes)) } catch { event = .ended(error) }
    let beside = talks.filter { $0.isBeside(talk) }
    if beside.count > 1 {
      if talk.session.start.chooses {
        // The other device sends on all the connections that it has dialled.
        guard beside.first?.connection == connection else { return }
      } else if event.isRefusal {
        return drop(connection, &turn)
      }
      for other in beside where other.connection != connection { drop(other.connection, &turn) }
    }
    step(event, connection, &turn)
  }

  /// A connection is closed, or the other side is silent. If it is not the connection that counts, the pairing goes on.
  private mutating func over(
    _ event: PairingSession.Event, _ connection: PairingConnection, _ turn: inout Turn
  ) {
    guard let talk = talks.first(where: { $0.connection == connection }) else { return }
    let beside = talks.filter { $0.isBeside(talk) }
    let isChosen = talk.session.start.chooses && beside.first?.connection == connection
    if isChosen || beside.count == 1 { step(event, connection, &turn) } else { drop(connection, &turn) }
  }

  private mutating func drop(_ connection: PairingConnection, _ turn: inout Turn) {
    talks.removeAll { $0.connection == connection }
    turn.emit(.pairing(.close(connection)))
  }

  /// Sends the reason, and closes the connection.
  private func refuse(_ connection: PairingConnection, _ code: SegueError.Code, _ turn: inout Turn) {
    if let bytes = try? PairingMessage.refused(code).encode() { turn.emit(.pairing(.send(connection, bytes))) }
    turn.emit(.pairing(.close(connection)))
  }

  private mutating func step(
    _ event: PairingSession.Event, _ connection: PairingConnection, _ turn: inout Turn
  ) {
    guard let index = talks.firstIndex(where: { $0.connection == connection }) else { return }
    let effects = talks[index].session.handle(event)
    let talk = talks[index]
    talks[index].until = talk.session.isAnswered ? turn.now + Limits.pairingAnswerTime : nil
    if talk.session.isAlone {
      for other in talks where other.connection != connection { refuse(other.connection, .limitExceeded, &turn) }
      talks.removeAll { $0.connection != connection }
    }
    perform(effects, on: connection, &turn)
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
        peer.addresses = Addresses.taken(peer.addresses, own: window?.addresses ?? [])
        // The addresses that the user named are added: host names, and addresses that only this machine understands.
        // The other device cannot know those.
        let given = window?.wish.addresses.filter { $0.ip == nil } ?? []
        peer.addresses = peer.addresses.prefix(max(Limits.deviceAddresses - given.count, 0)) + given
        turn.emit(.pairing(.remember(peer)))
      case .forget(let peer): turn.emit(.pairing(.forget(peer.device)))
      case .finished(let outcome): finished(outcome, connection, &turn)
      }
    }
  }

  private mutating func finished(
    _ outcome: PairingSession.Outcome, _ connection: PairingConnection, _ turn: inout Turn
  ) {
    guard let talk = talks.first(where: { $0.connection == connection }) else { return }
    for other in talks where other.isBeside(talk) { drop(other.connection, &turn) }
    switch outcome {
    case .paired(let peer):
      shut(&turn)
      set(.paired(peer.device, name: peer.name), &turn)
    case .failed(let error, let remembered, let isGuess):
      // A connection without a message does not close the user's window, nor does one that lacks the secret.
      if !isGuess, isWaiting {
        if talk.session.start.role == .dialler { window?.unreached = error }
        return endUnreached(&turn)
      }
      let told = isGuess ? guessed(error, &turn) : error
      shut(&turn)
      set(.failed(told, remembered: remembered?.device), &turn)
    }
  }

  /// Whether no user has been asked anything yet.
  private var isWaiting: Bool {
    switch state {
    case .open, .reaching: true
    default: false
    }
  }

  /// The dials have come to nothing. A device that has dialled this one meanwhile may still be the right one.
  private mutating func endUnreached(_ turn: inout Turn) {
    guard state == .reaching, talks.isEmpty, let error = window?.unreached else { return }
    shut(&turn)
    set(.failed(error, remembered: nil), &turn)
  }

  /// Counts a try in which somebody may have guessed. Returns the error for the user.
  private mutating func guessed(_ error: SegueError, _ turn: inout Turn) -> SegueError {
    turn.log(.notice, "A pairing by digits has ended undecided: \(error.message)", cause: "pairing")
    guard let pause = guesses.add(at: turn.now) else { return error }
    turn.log(.notice, "Nobody can pair by digits for \(pause / 1000) seconds.", cause: "pairing")
    return SegueError(error.code, error.message, advice: Self.pauseAdvice(pause))
  }

  private mutating func shut(_ turn: inout Turn) {
    guard window != nil else { return }
    window = nil
    turn.emit(.pairing(.open(false)))
  }

  private mutating func set(_ state: PairingState, _ turn: inout Turn) {
    guard state != self.state else { return }
    self.state = state
    turn.emit(.signal(.pairingChanged))
  }

  // MARK: Errors

  static let cancelled = SegueError(
    .userCancelled, "The pairing was cancelled.", advice: "Begin it again, on both devices, when it is wanted.")
  private static let replaced = SegueError(
    .userCancelled, "Another pairing was begun on this device.", advice: "Go on with that one, where it was begun.")
  private static let timeOver = SegueError(
    .remoteApplicationTimedOut, "The time to pair is over.", advice: "Pair again, on both devices.")
  private static let noDigits = SegueError(
    .invalidArgument, "These are no six digits.", advice: "Type the six digits that the other device shows.")

  private static func paused(_ rest: UInt64) -> SegueError {
    SegueError(
      .limitExceeded,
      "Three times the digits were wrong, or somebody began to pair and went away, so nobody can pair by digits for "
        + "a while.", advice: pauseAdvice(rest))
  }

  private static func pauseAdvice(_ rest: UInt64) -> String {
    let (minutes, seconds) = ((rest + 59_999) / 60_000, (rest + 999) / 1000)
    let time = minutes > 2 ? "\(minutes) minutes" : "\(seconds) seconds"
    return "Wait \(time), or use a code, which nobody can guess: segue pair --code"
  }

  private static let nothingAsked = SegueError(
    .notFound, "No pairing is waiting for this.", advice: "See how far it is with: segue pair")
}
