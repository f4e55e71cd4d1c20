import SegueCore

extension Scenario {
  /// Whether the scenario determines all events.
  public var isSchedule: Bool { seed != nil }

  /// A schedule of this scenario: the times and devices of all random actions are drawn now. The same seed gives the
  /// same schedule. Delays and failures are drawn as the schedule runs, from the same seed.
  public func schedule(seed: UInt64) -> Scenario {
    // This scenario is a schedule already.
    if self.seed != nil { return self }
    var random = SeededGenerator(seed: seed)
    var schedule = self
    schedule.seed = seed & UInt64(Int64.max)
    schedule.counts = [:]
    // These applications run when the schedule begins.
    for device in devices.indices {
      for application in applications.indices where device == 0 || random.oneIn(2) {
        schedule.steps.append(Step(time: 0, action: .current, devices: [device], application: application))
      }
    }
    for action in Action.allCases {
      let most = counts[action] ?? 0
      for _ in 0..<(most == 0 ? 0 : random.below(most + 1)) { schedule.add(action, &random) }
    }
    schedule.steps.sort { $0.time < $1.time }
    return schedule
  }

  private mutating func add(_ action: Action, _ random: inout SeededGenerator) {
    let time = random.below(duration)
    let one = Int(random.below(UInt64(devices.count)))
    let other = (one + 1 + Int(random.below(UInt64(devices.count - 1)))) % devices.count
    let application = Int(random.below(UInt64(applications.count)))
    func step(_ action: Action, at time: UInt64) -> Step {
      Step(
        time: time, action: action, devices: Array([one, other].prefix(action.devices)),
        application: action.namesApplication ? application : 0)
    }
    steps.append(step(action, at: time))
    if let end = action.end { steps.append(step(end, at: time + random.below(outage))) }
  }
}

extension Scenario.Action {
  /// The action that ends the outage which this one begins.
  fileprivate var end: Scenario.Action? {
    switch self {
    case .cut: .heal
    case .sleep: .wake
    case .killDaemon, .killMidway: .startDaemon
    case .fillDisk: .freeDisk
    default: nil
    }
  }
}
