import SegueClient
import SegueCore
import SegueSimulator
import Testing

/// Random steps, by the machine and by the plainest reading of the rules: a list of what was told, gone through anew.
@Suite struct FocusScheduleTests {
  private typealias Machine = FocusMachine<Int>

  /// Semantics R6 as a model, without regard to time.
  private struct Model {
    var properties: [UInt64: Int] = [:]
    /// Every setting that still counts, the last one last.
    var settings: [UInt64] = []
    var next: [UInt64: UInt64] = [:]
    var windows: [UInt64] = []
    var focused: [UInt64: UInt64] = [:]
    var documents: [UInt64: UInt64] = [:]
    var main: UInt64?
    /// The application's own choice; the inner nil is "nothing".
    var choice: Int??

    func chain(from responder: UInt64?) -> [UInt64] {
      var chain: [UInt64] = []
      var place = responder
      while let here = place, chain.count < Limits.responderChain {
        chain.append(here)
        place = next[here]
      }
      return chain
    }

    var current: Int? {
      if let choice { return choice }
      guard let main else { return settings.last.flatMap { properties[$0] } }
      let candidates = chain(from: focused[main]) + [main] + [documents[main]].compactMap { $0 }
      return candidates.lazy.compactMap { properties[$0] }.first
    }

    mutating func set(_ responder: UInt64, _ activity: Int?) {
      settings.removeAll { $0 == responder }
      properties[responder] = activity
      guard activity != nil else { return }
      settings.append(responder)
      if main == nil || choice == .some(nil) { choice = nil }
    }

    mutating func handle(_ event: Machine.Event) {
      switch event {
      case .set(let responder, let activity): set(responder, activity)
      case .responderGone(let responder):
        set(responder, nil)
        next[responder] = nil
      case .windowMade(let window): windows.append(window)
      case .windowGone(let window):
        windows.removeAll { $0 == window }
        focused[window] = nil
        documents[window] = nil
        guard main == window else { return }
        main = nil
        choice = nil
      case .focused(let window, let responder):
        guard windows.contains(window) else { return }
        if main == window, focused[window] != responder { choice = nil }
        focused[window] = responder
      case .documentSet(let window, let document):
        if windows.contains(window) { documents[window] = document }
      case .mainWindow(let window):
        guard let window, windows.contains(window), window != main else { return }
        main = window
        choice = nil
      case .becameCurrent(let activity): choice = activity
      case .resigned: choice = .some(nil)
      case .ended(let activity): if choice == activity { choice = nil }
      }
    }
  }

  /// Windows are numbered from here on; no other responder has such a number.
  private static let firstWindow: UInt64 = 101

  private static func event(_ random: inout SeededGenerator, _ numbers: UInt64) -> Machine.Event {
    let window = firstWindow + random.below(4)
    // A window is a responder too.
    let responder = random.oneIn(6) ? window : 1 + random.below(numbers)
    let activity = Int(random.below(5))
    switch random.below(14) {
    case 0, 1, 2, 3: return .set(responder, activity)
    case 4: return .set(responder, nil)
    case 5: return .responderGone(responder)
    case 6: return .windowGone(window)
    case 7, 8: return .focused(window, random.oneIn(4) ? nil : responder)
    case 9: return .documentSet(window, random.oneIn(3) ? nil : responder)
    case 10: return .mainWindow(random.oneIn(4) ? nil : window)
    case 11: return .becameCurrent(activity)
    case 12: return .resigned
    default: return .ended(activity)
    }
  }

  private static func refusal(_ body: () throws(ChainError) -> Void) -> ChainError? {
    do throws(ChainError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: 0..<64)
  func R6_theMachineSaysWhatTheRulesSay(_ part: Int) throws {
    for seed in UInt64(part) * 40..<UInt64(part + 1) * 40 {
      var random = SeededGenerator(seed: seed)
      let numbers = 2 + random.below(12)
      var machine = Machine()
      var model = Model()
      for window in Self.firstWindow..<Self.firstWindow + 3 {
        machine.handle(.windowMade(window))
        model.handle(.windowMade(window))
      }
      for step in 0..<200 {
        if random.oneIn(4) {
          let (one, other) = (1 + random.below(numbers), random.oneIn(5) ? nil : 1 + random.below(numbers))
          let loops = other.map { model.chain(from: $0).contains(one) } ?? false
          let refusal = Self.refusal { () throws(ChainError) in try machine.link(one, to: other) }
          try #require(refusal == (loops ? .loop : nil), "seed \(seed), step \(step)")
          if !loops { model.next[one] = other }
        } else {
          let event = Self.event(&random, numbers)
          machine.handle(event)
          model.handle(event)
        }
        try #require(machine.current.activity == model.current, "seed \(seed), step \(step)")
        try #require((machine.current.reason == .none) == (model.current == nil), "seed \(seed), step \(step)")
      }
    }
  }
}
