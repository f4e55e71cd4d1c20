import SegueCore
import SegueSimulator

/// The origin of a VirtualContinuation: its daemon's SaveRequests, and an application that saves, hangs or exits.
final class VirtualOrigin {
  enum Happening {
    case fetch(Int)
    case abandoned(Int)
    case asked
    case answered(SegueError?)
    case exits
    case expired
  }

  static let activity = Identifier(high: 1, low: 2)
  static let snapshot = Snapshot(id: activity, revision: 1, type: .browsingWeb, userInfo: [0xa0])

  private unowned let world: VirtualContinuation
  private var machine = SaveRequests<Int, Identifier>()
  private var timer: Int?
  private var isRunning = true
  /// Fetches that wait for their answer.
  private var waiting: Set<Int> = []
  private var fetched: Set<Int> = []
  private var gone: Set<Int> = []

  init(world: VirtualContinuation) { self.world = world }

  func happen(_ what: Happening) {
    switch what {
    case .fetch(let fetch):
      // One that was cancelled before it came never comes.
      guard !gone.contains(fetch), fetched.insert(fetch).inserted else { return }
      waiting.insert(fetch)
      handle(.fetch(fetch, activity: Self.activity))
    case .abandoned(let fetch):
      gone.insert(fetch)
      waiting.remove(fetch)
      handle(.abandoned(fetch))
    case .asked:
      // Some hang.
      guard isRunning, !world.random.oneIn(8) else { return }
      schedule(.answered(world.random.oneIn(8) ? SegueError(.handoffUserInfoTooLarge, "too large") : nil))
    case .answered(let error):
      handle(
        error.map { .failed($0, activity: Self.activity) } ?? .saved(Self.snapshot, activity: Self.activity))
    case .exits:
      guard isRunning else { return }
      isRunning = false
      handle(.failed(SegueError(.handoffFailed, "exited"), activity: Self.activity))
    case .expired:
      timer = nil
      handle(.expired(activity: Self.activity))
    }
  }

  private func schedule(_ what: Happening) {
    world.clock.schedule(.origin(what), at: world.clock.now + world.latency())
  }

  private func handle(_ event: SaveRequests<Int, Identifier>.Event) {
    for effect in machine.handle(event) {
      world.note("  origin: \(event) → \(effect)")
      switch effect {
      case .askApplication:
        guard isRunning else {
          handle(.failed(SegueError(.handoffFailed, "exited"), activity: Self.activity))
          continue
        }
        if timer != nil { world.problem("two saves of one activity at once") }
        timer = world.clock.schedule(.origin(.expired), at: world.clock.now + Limits.saveTime)
        schedule(.asked)
      case .stopTimer:
        if let timer { world.clock.cancel(timer) }
        timer = nil
      case .answer(let fetches, _): answer(fetches, nil)
      case .fail(let fetches, let error): answer(fetches, error)
      }
    }
  }

  private func answer(_ fetches: [Int], _ error: SegueError?) {
    for fetch in fetches {
      if waiting.remove(fetch) == nil { world.problem("S9: fetch \(fetch) was answered twice, or in vain") }
      if fetch == 0 { world.clock.schedule(.fetchAnswered(error), at: world.clock.now + world.latency()) }
    }
  }

  func judge() {
    if !waiting.isEmpty { world.problem("S9: no answer for \(waiting)") }
    if timer != nil { world.problem("the save's timer is left") }
  }
}
