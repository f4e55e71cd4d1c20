import SegueCore

// Devices that paired devices have introduced. Each is shown once, until the user has accepted or declined it, here or
// elsewhere, or it is forgotten. The notice names the first introducer; if that one has used up its quota, another
// introducer's is shown.

extension Notices {
  /// A device that waits for the user's word, for a person.
  public struct Introduced: Sendable {
    public let device: DeviceID
    /// The name that the introducer gives it.
    public let name: String
    public let introducer: DeviceID
    public let introducerName: String

    public init(device: DeviceID, name: String, introducer: DeviceID, introducerName: String) {
      self.device = device
      self.name = name
      self.introducer = introducer
      self.introducerName = introducerName
    }

    fileprivate var notice: Notice {
      Notice.introduction(name: name, introducer: introducerName, words: device.words)
    }
  }

  struct IntroductionEntry: Sendable {
    let introducer: DeviceID
    var notice: Notice
    var state: State
    /// Its introducer had no turn: the user has not been asked.
    var isUnasked = false
  }

  mutating func replace(_ introduced: [Introduced], _ now: Instant) -> [Effect] {
    var effects: [Effect] = []
    let current = Set(introduced.map { $0.device })
    for device in introductions.keys.filter({ !current.contains($0) }).sorted() {
      if introductions.removeValue(forKey: device)?.state == .shown { effects.append(.close(.introduction(device))) }
    }
    var seen: Set<DeviceID> = []
    for one in introduced where seen.insert(one.device).inserted {
      effects += note(introduced.filter { $0.device == one.device }, now)
    }
    return effects
  }

  /// `ones`: the introductions of one device, the first one first.
  private mutating func note(_ ones: [Introduced], _ now: Instant) -> [Effect] {
    guard let first = ones.first else { return [] }
    let former = introductions[first.device]
    let asks = former.flatMap { former in ones.first { $0.introducer == former.introducer } } ?? first
    if let former, !former.isUnasked, former.notice == asks.notice { return [] }
    // An introducer that gives it ever other names does not fill the screen, and keeps no other one's word away.
    let others = ones.filter { $0.introducer != asks.introducer }
    guard let one = ([asks] + others).first(where: { takeTurn($0.introducer, now) }) else {
      introductions[first.device] = IntroductionEntry(
        introducer: asks.introducer, notice: asks.notice, state: .over, isUnasked: true)
      return former?.state == .shown ? [.close(.introduction(first.device))] : []
    }
    introductions[first.device] = IntroductionEntry(introducer: one.introducer, notice: one.notice, state: .shown)
    return [.show(.introduction(first.device), one.notice)]
  }

  mutating func answer(_ device: DeviceID, _ action: Notice.Action) -> [Effect] {
    let answer: Effect
    switch action {
    case .accept:
      guard let introducer = introductions[device]?.introducer else { return [] }
      answer = .accept(device, introducer: introducer)
    case .decline: answer = .decline(device)
    case .continue, .read: return []
    }
    guard let entry = introductions[device] else { return [] }
    introductions[device]?.state = .over
    return (entry.state == .shown ? [.close(.introduction(device))] : []) + [answer]
  }

  mutating func showWaitingIntroductions() -> [Effect] {
    var effects: [Effect] = []
    for device in introductions.keys.sorted() {
      guard let entry = introductions[device], entry.state == .waiting else { continue }
      introductions[device]?.state = .shown
      effects.append(.show(.introduction(device), entry.notice))
    }
    return effects
  }
}
