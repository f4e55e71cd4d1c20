import SegueCore

/// The viewers of this device that look at sessions of other devices: which of them asks for streams and when, which offer
/// is continued for them, and when one is told that there is nothing. Pure.
struct ShellVisits {
  typealias VisitID = Int

  /// A session that another device has on offer.
  struct Offer: Equatable {
    /// The device's alias, and its name; no two devices that are paired have the same one.
    let device: String
    let name: String
    let activity: String
  }

  enum Event {
    /// A viewer wants to look at a session of a device. `activity` is empty where any session of the device will do.
    case wants(VisitID, device: String, alias: String, activity: String)
    /// A viewer was started for what has arrived under this token.
    case views(VisitID, token: String)
    /// A viewer has lost its streams.
    case again(VisitID)
    case gone(VisitID)
    /// Everything that can be continued here.
    case offers([Offer])
    /// An activity of a device has arrived, and is called by the token from now on. `from`: the activity that it continues.
    case arrived(token: String, from: String?, device: String)
    /// No terminal opens for what has arrived.
    case notOpened(token: String)
    /// The offer of this activity, which was chosen, is not continued.
    case notChosen(activity: String, SegueError)
    case streams(VisitID)
    case noStreams(VisitID, token: String, SegueError)
    /// The daemon of this device is gone.
    case daemonLost
    case timer

    fileprivate var isTimer: Bool { if case .timer = self { true } else { false } }
  }

  enum Effect: Equatable {
    /// Asks for streams by what has arrived under the token.
    case request(VisitID, token: String)
    case choose(activity: String)
    /// Opens a terminal, in which a viewer says the token.
    case open(token: String)
    /// No viewer takes the continuation that has arrived.
    case refuse(token: String)
    /// The continuation is no longer needed.
    case forget(token: String)
    /// Goes with the streams that have come.
    case pass(VisitID, ServiceMessage)
    case send(VisitID, ServiceMessage)
    case close(VisitID)
    /// The terminal that was opened for it has started no viewer.
    case missed(token: String)
    /// Only the last of these counts; nil: no event `timer` is needed.
    case wake(Instant?)
  }

  /// Another device, as one or several visits know it.
  private struct Host {
    let name: String
    /// Tells it from a device of the same name, once something of it was on offer.
    var alias: String
    /// The token of the activity that was continued from there: streams are asked for by it.
    var token: String?
    /// The daemon of this device was gone since: that it knows of nothing does not mean that there is nothing.
    var isUncertain = false
    /// Choices of its offers that led to nothing, and until when there is no other one.
    var backoff = Backoff()
    var rest: Instant = 0

    init(name: String, alias: String) {
      self.name = name
      self.alias = alias
    }

    func isSame(as other: Host) -> Bool { alias.isEmpty ? name == other.name : alias == other.alias }
  }

  private typealias HostID = Int

  private struct Visit {
    enum Stage: Equatable {
      /// It has streams, is about to get them, or was told that there are none.
      case settled
      /// Streams are asked for then.
      case resting(until: Instant)
      /// It waits for another continuation, until then; nil: as long as it takes.
      case looking(until: Instant?)
    }

    let id: VisitID
    var host: HostID
    /// The offer that is meant, by its activity's id; empty: any one of the device.
    var activity: String
    var stage = Stage.settled
    var backoff = Backoff()
    var hadStreams = false
    /// Why the last choice that was made for it since it looks led to nothing.
    var failure: SegueError?

    var isLooking: Bool { if case .looking = stage { true } else { false } }

    func means(_ offer: Offer, of host: Host) -> Bool {
      guard activity.isEmpty else { return activity == offer.activity }
      return host.alias.isEmpty ? host.name == offer.name : host.alias == offer.device
    }
  }

  /// A continuation that was begun for visits which look for one.
  private struct Choice {
    let host: HostID
    let activity: String
    /// One that begins and does not arrive is waited for until then.
    let until: Instant
  }

  /// This device's name.
  var device = ""
  /// The oldest first.
  private var visits: [Visit] = []
  private var hosts: [HostID: Host] = [:]
  private var lastHost = 0
  /// Hosts whose terminals are about to start viewers, by the token that these will say, and until when.
  private var expected: TextMap<(host: HostID, until: Instant)> = [:]
  private var choice: Choice?
  private var offers: [Offer] = []
  private var now: Instant = 0
  private var effects: [Effect] = []
  private var nextWake: Instant?

  var isEmpty: Bool { visits.isEmpty && expected.isEmpty }

  /// Something is being continued for a viewer, and not for a new window.
  var isChoosing: Bool { choice != nil }

  mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    self.now = now
    effects = []
    var held = tokens
    if case .arrived(let token, _, _) = event { held.append(token) }
    take(event)
    choose()
    let used = Set(visits.map(\.host) + expected.values.map(\.host) + (choice.map { [$0.host] } ?? []))
    hosts = hosts.filter { used.contains($0.key) }
    let kept = tokens
    effects += held.filter { !kept.contains($0) }.map { .forget(token: $0) }
    // The timer that has gone off is no more.
    if deadline != nextWake || event.isTimer {
      nextWake = deadline
      effects.append(.wake(nextWake))
    }
    return effects
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .wants(let id, let device, let alias, let activity): want(id, device, alias, activity)
    case .views(let id, let token):
      guard let host = expected.removeValue(forKey: token)?.host else {
        return refuse(id, "this continuation is over; continue the session again")
      }
      add(Visit(id: id, host: host, activity: ""))
    case .again(let id): rest(id)
    case .gone(let id): visits.removeAll { $0.id == id }
    case .offers(let offers): self.offers = offers
    case .arrived(let token, let from, let device): arrived(token, from, device)
    case .notOpened(let token):
      expected.removeValue(forKey: token)
      effects.append(.refuse(token: token))
    case .notChosen(let activity, let error): if choice?.activity == activity { choiceFailed(error) }
    case .streams(let id):
      guard let visit = visits.first(where: { $0.id == id }), let host = hosts[visit.host] else { return }
      change(id) { [now] in
        $0.backoff.succeeded(at: now)
        $0.hadStreams = true
      }
      effects.append(.pass(id, .stream(device: host.name, alias: host.alias, own: device)))
    case .noStreams(let id, let token, let error): failed(id, token, error)
    case .daemonLost:
      for host in hosts.keys { hosts[host]?.isUncertain = true }
      for index in visits.indices where visits[index].isLooking { visits[index].stage = .looking(until: nil) }
      choice = nil
      offers = []
    case .timer: lapse()
    }
  }

  private mutating func change(_ id: VisitID, _ body: (inout Visit) -> Void) {
    if let index = visits.firstIndex(where: { $0.id == id }) { body(&visits[index]) }
  }

  private mutating func add(_ host: Host) -> HostID {
    lastHost += 1
    hosts[lastHost] = host
    return lastHost
  }

  private var isFull: Bool { visits.count + expected.count >= Limits.shellSessions }

  // MARK: Viewers

  private mutating func want(_ id: VisitID, _ device: String, _ alias: String, _ activity: String) {
    guard !isFull else { return refuse(id, "\(Limits.shellSessions) sessions of other devices are looked at") }
    let host = Host(name: device, alias: alias)
    // Where one activity is meant, the streams of another one lead to another session.
    let known = visits.first { activity.isEmpty && hosts[$0.host].map { host.isSame(as: $0) } ?? false }
    add(Visit(id: id, host: known?.host ?? add(host), activity: activity))
  }

  private mutating func add(_ visit: Visit) {
    visits.append(visit)
    request(visit.id)
  }

  private mutating func refuse(_ id: VisitID, _ reason: String) { effects += [.send(id, .failed(reason)), .close(id)] }

  // MARK: What arrives

  /// A terminal opens for it, unless a viewer waits for this.
  private mutating func arrived(_ token: String, _ from: String?, _ device: String) {
    if let choice, choice.activity == from { return found(token, choice) }
    guard !isFull else { return effects.append(.refuse(token: token)) }
    var host = Host(name: device, alias: "")
    host.token = token
    expected[token] = (add(host), now + Limits.shellLaunchTime)
    effects.append(.open(token: token))
  }

  private mutating func found(_ token: String, _ choice: Choice) {
    self.choice = nil
    hosts[choice.host]?.token = token
    hosts[choice.host]?.isUncertain = false
    hosts[choice.host]?.backoff.succeeded(at: now)
    guard let host = hosts[choice.host] else { return }
    // One continuation serves all that look at the device: its offer may be hidden from now on.
    for visit in visits where visit.isLooking && (visit.activity.isEmpty || visit.activity == choice.activity) {
      guard visit.host == choice.host || hosts[visit.host].map({ $0.isSame(as: host) }) ?? false else { continue }
      change(visit.id) {
        $0.host = choice.host
        // Later whatever the device offers is as good.
        $0.activity = ""
      }
      request(visit.id)
    }
  }

  // MARK: Streams

  /// Errors that another continuation may help with.
  private static let stale: Set<SegueError.Code> = [.notFound, .invalidated, .accessDenied]
  /// Errors that stay, however often streams are asked for.
  private static let final: Set<SegueError.Code> = [.notHandled, .invalidArgument, .versionMismatch]

  private mutating func request(_ id: VisitID) {
    guard let visit = visits.first(where: { $0.id == id }) else { return }
    guard let token = hosts[visit.host]?.token else { return look(id) }
    change(id) { $0.stage = .settled }
    effects.append(.request(id, token: token))
  }

  private mutating func failed(_ id: VisitID, _ token: String, _ error: SegueError) {
    guard let visit = visits.first(where: { $0.id == id }) else { return }
    if Self.stale.contains(error.code) {
      if hosts[visit.host]?.token == token { hosts[visit.host]?.token = nil }
      look(id)
    } else if Self.final.contains(error.code) || error.code == .limitExceeded && !visit.hadStreams {
      fail(id, error.message)
    } else {
      rest(id)
    }
  }

  private mutating func rest(_ id: VisitID) {
    change(id) { [now] in $0.stage = .resting(until: now + $0.backoff.failed(at: now)) }
  }

  private mutating func fail(_ id: VisitID, _ reason: String) {
    change(id) { $0.stage = .settled }
    effects.append(.send(id, .failed(reason)))
  }

  // MARK: Another continuation

  /// Waits for something of the device to be on offer. If it was there all the time and offers nothing, the session has
  /// ended.
  private mutating func look(_ id: VisitID) {
    guard let visit = visits.first(where: { $0.id == id }) else { return }
    let isUncertain = hosts[visit.host]?.isUncertain ?? false
    change(id) { [now] in
      $0.stage = .looking(until: isUncertain ? nil : now + Limits.shellLaunchTime)
      $0.failure = nil
    }
    effects.append(.send(id, .waits))
  }

  /// Continues what is on offer and wanted, one at a time: a second choice would take the place of the first one.
  private mutating func choose() {
    guard choice == nil else { return }
    for visit in visits where visit.isLooking {
      guard let host = hosts[visit.host], host.rest <= now,
        let offer = offers.first(where: { visit.means($0, of: host) })
      else { continue }
      hosts[visit.host]?.alias = offer.device
      choice = Choice(host: visit.host, activity: offer.activity, until: now + Limits.shellLaunchTime)
      return effects.append(.choose(activity: offer.activity))
    }
  }

  /// Other devices need not wait until this one is tried again.
  private mutating func choiceFailed(_ error: SegueError) {
    guard let choice, var host = hosts[choice.host] else { return }
    self.choice = nil
    host.rest = now + host.backoff.failed(at: now)
    hosts[choice.host] = host
    for visit in visits where visit.isLooking && visit.host == choice.host { change(visit.id) { $0.failure = error } }
  }

  // MARK: Time

  private mutating func lapse() {
    for (token, waiting) in expected.pairs where waiting.until <= now {
      expected.removeValue(forKey: token)
      effects.append(.missed(token: token))
    }
    // First the choice: the visits for which it was made have waited as long as it has, or longer.
    if let choice, choice.until <= now { choiceFailed(Self.neverCame) }
    for visit in visits {
      switch visit.stage {
      case .resting(let until) where until <= now: request(visit.id)
      case .looking(let until?) where until <= now: lookedInVain(visit)
      default: break
      }
    }
  }

  private static let neverCame = SegueError(
    .remoteApplicationTimedOut, "the session did not come within \(Limits.shellLaunchTime / 1_000) seconds")

  /// It has looked as long as one may. That a choice is under way, its own or another device's, is no reason to say that
  /// there is nothing.
  private mutating func lookedInVain(_ visit: Visit) {
    guard let host = hosts[visit.host] else { return }
    if let choice, choice.host == visit.host {
      return change(visit.id) { $0.stage = .looking(until: choice.until) }
    }
    if offers.contains(where: { visit.means($0, of: host) }) {
      if let failure = visit.failure { return fail(visit.id, failure.message) }
      return change(visit.id) { [now] in $0.stage = .looking(until: now + Limits.shellLaunchTime) }
    }
    let hasEnded = visit.hadStreams || !host.alias.isEmpty || !visit.activity.isEmpty
    fail(
      visit.id,
      hasEnded
        ? "the session has ended, or is not shared any more"
        : "\(DisplayText.quoted(host.name)) has no session on offer; share one there: segue-shell share")
  }

  /// When something is to be done next, if nothing happens before.
  private var deadline: Instant? {
    let waits = visits.compactMap { visit in
      switch visit.stage {
      case .settled: nil as Instant?
      case .resting(let until): until
      case .looking(let until): until
      }
    }
    let rests = visits.compactMap { $0.isLooking ? hosts[$0.host]?.rest : nil }.filter { $0 > now }
    return (waits + rests + expected.values.map(\.until) + (choice.map { [$0.until] } ?? [])).min()
  }

  private var tokens: [String] { hosts.keys.sorted().compactMap { hosts[$0]?.token } }
}
