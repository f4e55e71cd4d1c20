import SegueCore

/// One turn of the engine: the effects for the outside, and the queue of steps that are still to be taken inside.
///
/// A component that has work for another one posts a step, which is taken when the component has finished. So no
/// component is re-entered.
struct Turn {
  var moment: Moment
  private(set) var effects: [Effect] = []
  private var steps: [Step] = []
  /// How many of the steps were taken.
  private var taken = 0
  /// The changes of this turn. The engine acts on each once, at the end of the turn.
  var hasChangedOffersHere = false
  var hasChangedOffers = false
  var hasChangedCopies = false
  var hasChangedDevices = false
  var hasChangedLinks = false
  /// The timer has run: deadlines that are due are taken.
  var isTime = false

  init(_ moment: Moment) { self.moment = moment }

  var now: Instant { moment.instant }

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  /// Emits the journal before all effects of this turn that must not be seen unless it has been written.
  mutating func emitRecord(_ journal: ContinuationJournal) {
    effects.insert(.record(journal), at: effects.firstIndex { !$0.mayPrecedeRecord } ?? effects.endIndex)
  }

  /// The continuation has ended. If its application was to be launched in this turn, the launch is dropped.
  mutating func withdrawLaunch(of continuation: Identifier) {
    effects.removeAll { effect in
      if case .launch(let launch) = effect { launch.continuation == continuation } else { false }
    }
  }

  mutating func post(_ step: Step) { steps.append(step) }

  var hasSteps: Bool { taken < steps.count }

  mutating func nextStep() -> Step? {
    guard taken < steps.count else {
      steps.removeAll()
      taken = 0
      return nil
    }
    taken += 1
    return steps[taken - 1]
  }

  mutating func log(_ level: Effect.LogLevel, _ text: String, cause: String) {
    emit(.log(level, text, cause: cause))
  }
}

/// A step that is taken inside the engine.
enum Step {
  case event(Event)
  case due(Deadline, since: Instant)
  case continuation(Identifier, ContinuationMachine.Event)
  case save(Saves.Requests.Event)
  /// The answer to a fetch of an activity of this device.
  case answer(FetchSource, FetchAnswer)
  case choose(Choice)
  case notice(Notices.Event)
  /// Tell every process of the application about one continuation.
  case tellApplication(ContinuationJournal.Pending)
  /// Tell the device about the continuations that it has not acknowledged.
  case tellDevice(DeviceID)
}

/// The source of a fetch of an activity of this device: a channel of another device, a continuation here, or the store.
enum FetchSource: Hashable, Sendable {
  case channel(ChannelID)
  case continuation(Identifier)
  /// A copy of the activity is due (semantics C5, X7).
  case copy(Identifier, StoredCopy.Kind)
  /// The user sends the page to a phone.
  case page(RequestID)
}

/// Another device that fetches an activity of this one.
struct SaveLine: Hashable, Sendable {
  var device: DeviceID
  var activity: Identifier
}

/// A request to an application for an activity's state. Two requests share one save only if their keys are equal.
struct SaveKey: Hashable, Sendable {
  var activity: Identifier
  var request: DoorSaveRequest
}
