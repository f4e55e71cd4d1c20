import SegueBus
import SegueCore
import SegueState

/// A player of films or music by MPRIS 2.
final class MediaBridge: Bridge {
  var changed: ((BridgeChange) -> Void)?

  private let program: BridgedProgram
  private unowned let players: PlayerBus
  private var opening: Opening?

  /// A film of another device that is being opened.
  private final class Opening {
    var machine: MediaOpening
    /// The player; nil while it starts.
    var owner: String?
    let done: (Bool) -> Void
    var overdue: LoopTimer?
    var next: LoopTimer?
    var isReading = false

    init(_ place: MediaPlace, opensArgument: Bool, _ done: @escaping (Bool) -> Void) {
      machine = MediaOpening(place, opensArgument: opensArgument)
      self.done = done
    }
  }

  init(_ program: BridgedProgram, _ players: PlayerBus) {
    self.program = program
    self.players = players
  }

  func end() { end(isOpen: false) }

  // MARK: The film here

  func state() -> [Value: Value]? {
    guard let (owner, address) = players.announced(by: program) else { return nil }
    let answer: PlayerProperties? = players.bus.wait { players.read(owner, $0) }
    guard var properties = answer ?? players.properties(of: owner) else { return nil }
    // Where it is now only the player knows.
    if answer == nil { properties.position = nil }
    // Meanwhile it may have gone on to the next one, which is another activity.
    return properties.address == address ? properties.userInfo : nil
  }

  func wasContinued() {
    if let owner = players.announced(by: program)?.owner { players.call(owner, "Pause") }
  }

  // MARK: Films of other devices

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard let place = MediaPlace(userInfo), place.address.isThere else { return false }
    // The user has chosen another one meanwhile.
    end(isOpen: false)
    let opening = Opening(place, opensArgument: program.opensArgument, done)
    self.opening = opening
    guard let owner = players.player(of: program) else {
      setTime(Limits.bridgeLaunchTime)
      handle(.begins(player: nil))
      return true
    }
    opening.owner = owner
    setTime(Limits.bridgeOpenTime)
    players.read(owner) { [weak self] properties in
      guard let self, self.opening === opening else { return }
      handle(properties.map { .begins(player: $0) } ?? .gone)
    }
    return true
  }

  private func setTime(_ time: UInt64) {
    opening?.overdue?.cancel()
    opening?.overdue = players.bus.loop.timer(after: time) { [weak self] in self?.handle(.overdue) }
  }

  private func handle(_ event: MediaOpening.Event) {
    guard let opening else { return }
    for effect in opening.machine.handle(event) { perform(effect, opening) }
  }

  private func perform(_ effect: MediaOpening.Effect, _ opening: Opening) {
    if case .launch(let address) = effect {
      // An address begins with its scheme, and so is no option.
      if ProgramStart.start(program, address.map { [$0] } ?? []) == nil { end(isOpen: false) }
      return
    }
    if case .ended(let isOpen) = effect { return end(isOpen: isOpen) }
    guard let owner = opening.owner else { return }
    switch effect {
    case .open(let address): players.call(owner, "OpenUri", [.string(address)])
    case .setPosition(let track, let position):
      // The specification wants a path; some players call their tracks otherwise, and understand the path of none.
      guard let track = ObjectPath(track) else { return }
      players.call(owner, "SetPosition", [.objectPath(track), .int64(position)])
    case .seek(let offset): players.call(owner, "Seek", [.int64(offset)])
    case .setRate(let rate): players.setRate(owner, rate)
    case .play: players.call(owner, "Play")
    case .pause: players.call(owner, "Pause")
    case .read: readLater(opening)
    case .launch, .ended: break
    }
  }

  private func end(isOpen: Bool) {
    guard let ended = opening else { return }
    opening = nil
    ended.overdue?.cancel()
    ended.next?.cancel()
    ended.done(isOpen)
  }

  // MARK: Reading the player meanwhile

  private func readLater(_ opening: Opening) {
    opening.next?.cancel()
    opening.next = players.bus.loop.timer(after: Limits.bridgeReadTime) { [weak self] in self?.read() }
  }

  private func read() {
    guard let opening, let owner = opening.owner, !opening.isReading else { return }
    opening.isReading = true
    players.read(owner) { [weak self] properties in
      opening.isReading = false
      guard let self, self.opening === opening else { return }
      if let properties { handle(.read(properties)) } else { readLater(opening) }
    }
  }

  /// The player has said that something has changed in it.
  func stirred(_ owner: String) { if opening?.owner == owner { read() } }

  /// A player has come, and was read.
  func came(_ owner: String) {
    guard let opening, opening.owner == nil, players.isPlayer(owner, of: program) else { return }
    opening.owner = owner
    setTime(Limits.bridgeOpenTime)
    handle(.started)
  }

  func left(_ owner: String) { if opening?.owner == owner { handle(.gone) } }
}
