import SegueCore

extension Scenario {
  /// This schedule with as few steps as still break a rule: parts are left out, smaller and smaller ones, as long as
  /// the same rule is broken. Delays and failures stay as before.
  public func shrunk() -> Scenario {
    guard let problem = Self.rule(in: self) else { return self }
    var best = self
    var size = max(best.steps.count / 2, 1)
    while true {
      var isSmaller = false
      var start = 0
      while start < best.steps.count {
        var shorter = best
        shorter.steps.removeSubrange(start..<min(start + size, best.steps.count))
        if Self.rule(in: shorter) == problem {
          best = shorter
          isSmaller = true
        } else {
          start += size
        }
      }
      if size == 1, !isSmaller { return best }
      size = max(size / 2, 1)
    }
  }

  /// The first rule that a schedule breaks, without the numbers in the sentence; nil: it breaks none.
  private static func rule(in schedule: Scenario) -> String? {
    let simulation = Simulation(schedule)
    simulation.run()
    return simulation.problems.first.map { String($0.filter { !$0.isNumber }) }
  }
}
