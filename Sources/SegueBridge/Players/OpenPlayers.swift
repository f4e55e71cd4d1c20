import SegueCore
import SegueState

/// The players of this device: which of them are known, what each program announces, and which one is in front, the one
/// that plays, then the one used last. Pure.
struct OpenPlayers {
  enum Event {
    /// The owner of a name on the bus, or nil when it has none any more.
    case named(String, owner: String?)
    case process(owner: String, UInt32?)
    case read(owner: String, PlayerProperties)
    /// The user went to another place in it.
    case moved(owner: String)
    /// It does not answer.
    case silent(owner: String)
    /// The processes in which a library takes part for this program.
    case inside(program: String, [UInt32])
  }

  enum Effect: Equatable {
    /// Its properties are to be read, and its changes followed; and no more.
    case follow(owner: String)
    case leave(owner: String)
    case announce(program: String, BridgeChange)
  }

  private struct Player {
    let owner: String
    let program: BridgedProgram
    var names: [String]
    var process: UInt32??
    var properties = PlayerProperties()
    /// When the user last did something with it.
    var used: UInt64 = 0
  }

  private struct Shown: Equatable {
    let owner: String
    let address: OpenAddress
    let title: String
  }

  private let programs: [BridgedProgram]
  private var players: [Player] = []
  private var inside: TextMap<[UInt32]> = [:]
  private var shown: TextMap<Shown> = [:]
  private var front: Shown?
  private var clock: UInt64 = 0

  init(_ programs: [BridgedProgram]) { self.programs = programs }

  /// The program that has this name on the bus, of those that are bridged. Players of phones, which KDE Connect, GSConnect
  /// and Valent put on the bus, playerctld, which stands for others, and browsers are none.
  func program(of busName: String) -> BridgedProgram? { programs.first { $0.has(busName: busName) } }

  mutating func handle(_ event: Event) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .named(let name, let owner): named(name, owner, &effects)
    case .process(let owner, let process): change(owner) { $0.process = .some(process) }
    case .read(let owner, let properties): read(owner, properties, &effects)
    case .moved(let owner):
      use(owner)
      if let program = shower(owner) { effects.append(.announce(program: program, .used)) }
    case .silent(let owner): change(owner) { $0.properties = PlayerProperties() }
    case .inside(let program, let processes): inside[program] = processes
    }
    show(&effects)
    return effects
  }

  // MARK: Reading

  /// The player of a program that something is to be opened in: the one in front, or else any.
  func player(of program: BridgedProgram) -> (owner: String, properties: PlayerProperties)? {
    let best = best { $0.program == program } ?? players.last { $0.program == program }
    return best.map { ($0.owner, $0.properties) }
  }

  /// The player whose film the program has announced.
  func announced(by program: BridgedProgram) -> (owner: String, address: OpenAddress)? {
    shown[program.name].map { ($0.owner, $0.address) }
  }

  func properties(of owner: String) -> PlayerProperties? { players.first { $0.owner == owner }?.properties }

  func program(ofOwner owner: String) -> BridgedProgram? { players.first { $0.owner == owner }?.program }

  // MARK: Changes

  private mutating func change(_ owner: String, _ body: (inout Player) -> Void) {
    guard let index = players.firstIndex(where: { $0.owner == owner }) else { return }
    body(&players[index])
  }

  private mutating func use(_ owner: String) {
    clock &+= 1
    let now = clock
    change(owner) { $0.used = now }
  }

  private mutating func named(_ name: String, _ owner: String?, _ effects: inout [Effect]) {
    guard let program = program(of: name) else { return }
    for index in players.indices.reversed() where players[index].owner != owner {
      players[index].names.removeAll { $0 == name }
      guard players[index].names.isEmpty else { continue }
      effects.append(.leave(owner: players.remove(at: index).owner))
    }
    guard let owner else { return }
    // One process has two names: it is one player.
    if let index = players.firstIndex(where: { $0.owner == owner }) {
      if !players[index].names.contains(name) { players[index].names.append(name) }
      return
    }
    guard players.count < Limits.bridgePlayers else { return }
    players.append(Player(owner: owner, program: program, names: [name]))
    effects.append(.follow(owner: owner))
  }

  private mutating func read(_ owner: String, _ properties: PlayerProperties, _ effects: inout [Effect]) {
    guard let before = players.first(where: { $0.owner == owner })?.properties else { return }
    change(owner) { $0.properties = properties }
    let begins = properties.status == .playing && before.status != .playing
    // A film that pauses at its end, or because it goes on elsewhere, is not used.
    if begins || properties.address != before.address { use(owner) }
    guard properties != before, let program = shower(owner) else { return }
    effects.append(.announce(program: program, begins ? .used : .aged))
  }

  /// The program that has announced the player.
  private func shower(_ owner: String) -> String? {
    players.first { $0.owner == owner }.map { $0.program.name }.flatMap { shown[$0]?.owner == owner ? $0 : nil }
  }

  // MARK: Announcements

  private func isFree(_ player: Player) -> Bool {
    guard !player.program.inside.isEmpty else { return true }
    // Until its process is known, a library may take part inside it.
    guard let process = player.process else { return false }
    return process.map { !(inside[player.program.name] ?? []).contains($0) } ?? true
  }

  private func best(_ isWanted: (Player) -> Bool) -> Player? {
    players.filter { isWanted($0) && $0.properties.address != nil && isFree($0) }
      .max { (Self.rank($0), $0.used) < (Self.rank($1), $1.used) }
  }

  private static func rank(_ player: Player) -> Int {
    switch player.properties.status {
    case .playing: 2
    case .paused: 1
    case .stopped: 0
    }
  }

  private mutating func show(_ effects: inout [Effect]) {
    for program in programs {
      let now = best { $0.program == program }.flatMap { Self.shown($0) }
      guard now != shown[program.name] else { continue }
      shown[program.name] = now
      effects.removeAll { if case .announce(program.name, _) = $0 { true } else { false } }
      effects.append(.announce(program: program.name, now.map { .shows(title: $0.title) } ?? .ended))
    }
    let best = best { _ in true }
    let now = best.flatMap { Self.shown($0) }
    guard now != front else { return }
    front = now
    if let best { effects.append(.announce(program: best.program.name, .inFront)) }
  }

  private static func shown(_ player: Player) -> Shown? {
    player.properties.address.map {
      Shown(owner: player.owner, address: $0, title: player.properties.shownTitle)
    }
  }
}
