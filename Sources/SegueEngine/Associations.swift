import SegueCore

/// The association files of the domains that applications here claim (semantics W3, W4): when each file is fetched, and
/// what it grants.
///
/// The device fetches a file only from a domain that an installed application claims, whatever other devices name
/// (attack 48). It fetches the file when the claim appears, then daily; after a failure sooner, at intervals that
/// double with each failure. While the server cannot be reached, the grants of the last file stay valid, for a week at
/// most; any answer of the server replaces them at once.
struct Associations {
  private struct Entry {
    var stored: StoredAssociation
    /// When the file is fetched next; nil while it is being fetched.
    var due: Instant?
  }

  private let interval: UInt64
  private let retryTime: UInt64
  private let makeIdentifier: () -> Identifier
  private var entries: [DomainName: Entry] = [:]
  /// The domains whose files are being fetched, including any that are no longer claimed.
  private var fetching: Set<DomainName> = []

  init(_ settings: EngineSettings) {
    interval = settings.times.associationInterval
    retryTime = settings.times.associationRetry
    makeIdentifier = settings.makeIdentifier
  }

  /// The grant of each domain that has been asked.
  var grants: [DomainName: DomainGrant] {
    entries.compactMapValues { $0.stored.asked == 0 ? nil : $0.stored.grant }
  }

  /// Takes over the records of an earlier daemon. A domain that has become due in the meantime is fetched at once.
  mutating func restore(_ stored: [StoredAssociation], at moment: Moment) {
    for stored in stored.prefix(Limits.domains) {
      let pause = pause(after: stored.failures)
      let age = min(pause, age(of: stored, moment))
      entries[stored.domain] = Entry(stored: stored, due: moment.instant + (pause - age))
    }
  }

  /// Milliseconds since the domain was asked. If the clock was set back, the next fetch is not delayed.
  private func age(of stored: StoredAssociation, _ moment: Moment) -> UInt64 {
    guard moment.seconds >= stored.asked else { return .max }
    let (age, overflow) = (moment.seconds - stored.asked).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : age
  }

  /// Applications here claim these domains now, and no others.
  mutating func claim(_ domains: Set<DomainName>, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    for domain in entries.keys.sorted(by: { $0.string < $1.string }) where !domains.contains(domain) {
      if let entry = entries.removeValue(forKey: domain), entry.stored.asked > 0 {
        turn.emit(.forgetAssociation(domain))
      }
    }
    for domain in domains.sorted(by: { $0.string < $1.string }) where entries[domain] == nil {
      guard entries.count < Limits.domains else {
        turn.log(
          .notice, "more than \(Limits.domains) domains are claimed; \(domain.string) and others have no effect",
          cause: "domains")
        break
      }
      let stored = StoredAssociation(domain: domain, grant: DomainGrant(), answered: 0, asked: 0, failures: 0)
      entries[domain] = Entry(stored: stored, due: fetching.contains(domain) ? nil : turn.now)
    }
    due(&deadlines, &turn)
  }

  /// Fetches the files that are due, a few at a time.
  mutating func due(_ deadlines: inout Deadlines, _ turn: inout Turn) {
    let waiting = entries.values.filter { $0.due.map { $0 <= turn.now } ?? false }
      .sorted { ($0.due ?? turn.now, $0.stored.domain.string) < ($1.due ?? turn.now, $1.stored.domain.string) }
    for entry in waiting.prefix(max(0, Limits.associationFetches - fetching.count)) {
      entries[entry.stored.domain]?.due = nil
      fetching.insert(entry.stored.domain)
      turn.emit(.fetchAssociation(entry.stored.domain))
    }
    // While all places are taken, the next answer calls this method again.
    let next = fetching.count < Limits.associationFetches ? entries.values.compactMap { $0.due }.min() : nil
    deadlines.set(.associations, at: next)
  }

  mutating func answered(
    _ domain: DomainName, _ answer: AssociationAnswer, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    guard fetching.remove(domain) != nil else { return }
    // The domain may no longer be claimed.
    if var entry = entries[domain] {
      note(answer, in: &entry.stored, turn.moment.seconds)
      entry.due = turn.now + pause(after: entry.stored.failures)
      entries[domain] = entry
      turn.emit(.keepAssociation(entry.stored))
      if let problem = entry.stored.grant.problem {
        turn.log(.notice, "\(domain.string): \(problem)", cause: "domain \(domain.string)")
      }
    }
    due(&deadlines, &turn)
  }

  /// The number of failures after which the interval no longer grows; further ones are not counted. The limit is needed
  /// since a stored record may contain any number.
  private static let failuresCounted = 17

  private func note(_ answer: AssociationAnswer, in stored: inout StoredAssociation, _ now: UInt64) {
    // 0 means never.
    stored.asked = max(now, 1)
    switch answer {
    case .file(let applications, let linking):
      stored.answered = stored.asked
      stored.failures = 0
      stored.grant = DomainGrant(applications: applications, linking: linking)
    case .refused(let reason):
      stored.answered = stored.asked
      fail(&stored)
      stored.grant = DomainGrant(problem: reason)
    case .unreachable(let reason):
      fail(&stored)
      stored.grant.problem = reason
      let age = now >= stored.answered ? now - stored.answered : .max
      if age >= Limits.associationLife / 1000 { stored.grant = DomainGrant(problem: reason) }
    }
  }

  private func fail(_ stored: inout StoredAssociation) {
    stored.failures = min(stored.failures, Self.failuresCounted - 1) + 1
  }

  /// The time from one fetch to the next. Up to a tenth is added at random, so that devices that were started together
  /// do not all ask at the same time.
  private func pause(after failures: Int) -> UInt64 {
    let time = failures == 0 ? interval : min(interval, retryTime << UInt64(min(failures, Self.failuresCounted) - 1))
    return time + makeIdentifier().low % (time / 10 + 1)
  }
}
