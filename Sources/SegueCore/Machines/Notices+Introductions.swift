// Devices that a paired one has introduced. Each is shown once, until the user has said here or elsewhere whether it is
// to be paired, or it is forgotten.

extension Notices {
  /// A device that waits for the user's word, for a person.
  public struct Introduced: Sendable {
    public let device: DeviceID
    /// What it is called by who has introduced it.
    public let name: String
    public let introducer: DeviceID
    public let introducerName: String

    public init(device: DeviceID, name: String, introducer: DeviceID, introducerName: String) {
      self.device = device
      self.name = name
      self.introducer = introducer
      self.introducerName = introducerName
    }
  }

  struct IntroductionEntry: Sendable {
    var notice: Notice
    var state: State
  }

  mutating func replace(_ introduced: [Introduced], _ now: Instant) -> [Effect] {
    var effects: [Effect] = []
    let current = Set(introduced.map { $0.device })
    for device in introductions.keys.filter({ !current.contains($0) }).sorted() {
      if introductions.removeValue(forKey: device)?.state == .shown { effects.append(.close(.introduction(device))) }
    }
    for one in introduced { effects += note(one, now) }
    return effects
  }

  private mutating func note(_ one: Introduced, _ now: Instant) -> [Effect] {
    let notice = Notice.introduction(name: one.name, introducer: one.introducerName, words: one.device.words)
    let former = introductions[one.device]
    guard former?.notice != notice else { return [] }
    // An introducer that gives it ever other names does not fill the screen.
    let mayShow = takeTurn(one.introducer, now)
    introductions[one.device] = IntroductionEntry(notice: notice, state: mayShow ? .shown : .over)
    if mayShow { return [.show(.introduction(one.device), notice)] }
    return former?.state == .shown ? [.close(.introduction(one.device))] : []
  }

  mutating func answer(_ device: DeviceID, _ action: Notice.Action) -> [Effect] {
    let answer: Effect
    switch action {
    case .accept: answer = .accept(device)
    case .decline: answer = .decline(device)
    case .continue: return []
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
