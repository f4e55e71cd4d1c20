import SegueCore

/// How a film of another device is opened here at its place: which calls a player gets, one after the other, from what it
/// says of itself. Pure. A player is not believed where it says that it is: it has to play on from there.
struct MediaOpening {
  enum Event {
    /// The player that runs; nil where none does.
    case begins(player: PlayerProperties?)
    /// It has started.
    case started
    case read(PlayerProperties)
    /// The time is over.
    case overdue
    case gone
  }

  enum Effect: Equatable {
    /// Start the player, with this address if there is one.
    case launch(String?)
    case open(String)
    case setPosition(track: String, Int64)
    case seek(by: Int64)
    case setRate(Double)
    case play
    case pause
    /// The player is to be read soon.
    case read
    case ended(isOpen: Bool)
  }

  private enum Phase: Equatable {
    case looking, launching, opening
    /// So many times it was read since it was sent to the place, and where it was the last time, if that was there.
    case seeking(Int, there: Int64?)
    case ended
  }

  private let place: MediaPlace
  /// Whether a player that does not run is started with the address.
  private let opensArgument: Bool
  private var phase = Phase.looking

  init(_ place: MediaPlace, opensArgument: Bool = false) {
    self.place = place
    self.opensArgument = opensArgument
  }

  var isEnded: Bool { phase == .ended }

  /// A second, in microseconds: nearer than that nobody asks for.
  private static let second: Int64 = 1_000_000

  mutating func handle(_ event: Event) -> [Effect] {
    switch (phase, event) {
    case (.ended, _): return []
    case (_, .begins(nil)):
      phase = .launching
      return [.launch(opensArgument ? place.address.string : nil)]
    case (_, .begins(let player?)): return look(player)
    case (.launching, .started):
      phase = opensArgument ? .opening : .looking
      return [.read]
    case (.looking, .read(let player)): return look(player)
    case (.opening, .read(let player)): return opened(player)
    case (.seeking(let count, let there), .read(let player)): return sought(player, count, there)
    case (_, .overdue):
      // The film is open, and only its place may be another one.
      if case .seeking = phase { return end([]) }
      return fail()
    case (_, .gone): return fail()
    case (_, .started), (.launching, .read): return []
    }
  }

  private mutating func look(_ player: PlayerProperties) -> [Effect] {
    // Whether it is stopped only its position says: the MPRIS script of mpv 0.35 says so of a film that plays, too.
    guard player.address == place.address, player.status != .stopped || (player.position ?? 0) > 0 else {
      phase = .opening
      return [.open(place.address.string), .read]
    }
    // The film stays at a later place: it never goes back by itself.
    if let here = player.position, here > (place.position ?? 0) + Self.second {
      phase = .ended
      return [.ended(isOpen: true)]
    }
    return goThere(player)
  }

  private mutating func opened(_ player: PlayerProperties) -> [Effect] {
    guard player.address == place.address else { return [.read] }
    if place.position == nil { return settle(player) }
    // Before, it would not go there.
    guard player.length != nil, player.canSeek else { return [.read] }
    return goThere(player)
  }

  private func target(_ player: PlayerProperties) -> Int64 {
    let end = player.length.map { max(0, $0 - Self.second) } ?? .max
    return min(place.position ?? 0, end)
  }

  private mutating func goThere(_ player: PlayerProperties) -> [Effect] {
    guard place.position != nil, !isThere(player) else { return settle(player) }
    phase = .seeking(0, there: nil)
    guard let track = player.track else { return seek(player) + [.read] }
    return [.setPosition(track: track, target(player)), .read]
  }

  private func seek(_ player: PlayerProperties) -> [Effect] {
    [.seek(by: target(player) - (player.position ?? 0))]
  }

  /// It plays meanwhile.
  private func isThere(_ player: PlayerProperties) -> Bool {
    guard let position = player.position else { return false }
    let ahead = position - target(player)
    let played: Int64 = player.status == .paused ? 0 : 4
    return ahead > -Self.second / 2 && ahead < Self.second / 2 + played * Self.second
  }

  private mutating func sought(_ player: PlayerProperties, _ count: Int, _ there: Int64?) -> [Effect] {
    let isThere = isThere(player)
    // VLC says at once that it is there; whether it went there, or begins at the beginning, it says when it plays on.
    let isSure = there.map { player.status == .paused || player.position ?? 0 > $0 } ?? false
    if isThere && isSure || count >= Limits.bridgeSeeks { return settle(player) }
    phase = .seeking(count + 1, there: isThere ? player.position : nil)
    if isThere { return [.read] }
    // Some players ignore SetPosition, and some are not ready for it at first.
    switch count % 10 {
    case 4: return seek(player) + [.read]
    case 9:
      guard let track = player.track else { return seek(player) + [.read] }
      return [.setPosition(track: track, target(player)), .read]
    default: return [.read]
    }
  }

  private mutating func settle(_ player: PlayerProperties) -> [Effect] {
    var effects: [Effect] = []
    if let rate = place.rate, player.rates.contains(rate), player.rate != rate { effects.append(.setRate(rate)) }
    if place.isPlaying, player.status != .playing { effects.append(.play) }
    if !place.isPlaying, player.status != .paused { effects.append(.pause) }
    return end(effects)
  }

  private mutating func end(_ effects: [Effect]) -> [Effect] {
    phase = .ended
    return effects + [.ended(isOpen: true)]
  }

  private mutating func fail() -> [Effect] {
    phase = .ended
    return [.ended(isOpen: false)]
  }
}
