import Glibc
import SegueCore

@testable import SegueEngine

/// An engine, and what an outside observer knows of it: what it has asked for and not been told, which callers wait for
/// its answer, and what it has said. After each event the world checks that the engine keeps its promises.
final class EngineWorld {
  /// The kind of a call that waits for its reply.
  enum Call { case ended, begun, begin, claim, stream, file, link, other }

  /// The subject of about every second event.
  enum Half { case pairing, web }

  struct Telling: Hashable {
    let session: SessionID
    let continuation: Identifier
  }

  /// A fetch or a save that the engine waits for.
  struct Pending {
    let activity: Identifier
    var session: SessionID = 0
    var device: DeviceID?
  }

  // Inputs choose from these. The last device is not paired, the last application is not installed.
  let devices = (2...4).map {
    DeviceID(hash: [UInt8](repeating: $0, count: 32), check: [UInt8](repeating: $0, count: 4))
  }
  let appIDs = ["com.example.A", "com.example.B", "com.example.Gone"].compactMap { AppID($0) }
  let types: [ActivityType]
  let ids = (1...6).map { Identifier(high: 0, low: $0) }
  let texts = ["", "A page", "\u{202E}\u{7}<b>", String(repeating: "ä", count: 300)]

  /// With TELL=1 in the environment, each event and its effects are printed.
  private static let isTold = getenv("TELL") != nil

  private var engine: Engine
  private let settings: EngineSettings
  private var now: Instant = 100_000
  /// The time that the wall clock shows.
  var seconds: UInt64 = 1_700_000_000
  private var timer: Instant?
  private(set) var journal = ContinuationJournal()
  private var paired: Set<DeviceID> = []
  private let pairing = PairingWorld()
  private let discovery = DiscoveryWorld()
  private let web = WebWorld()
  let half: Half?

  /// The questions that were asked and not answered, in both directions.
  private var calls: [RequestID: Call] = [:]
  private var callers: [RequestID: SessionID] = [:]
  /// Calls of applications that have left. The engine does not know that, and replies all the same, once.
  private var abandoned: Set<RequestID> = []
  private var callCount: RequestID = 0
  var fetches: [FetchID: Pending] = [:]
  var saves: [SaveID: Pending] = [:]
  var stores: [StoreID: StoreRequest] = [:]
  var localizing: Set<Identifier> = []
  var browsing: Set<Identifier> = []
  var finding: [(activity: Identifier, file: FileURL)] = []
  var channels: Set<ChannelID> = []
  var channelCount: UInt64 = 0
  var telling: Set<Telling> = []
  var toldOffers: Set<SessionID> = []
  let streams = StreamsWorld()
  let files = FilesWorld()
  /// The proposals that were made last.
  private(set) var proposals: [Identifier] = []
  private var pinning: [PendingIntroduction] = []
  private var hasStarted = false

  var sessions: Set<SessionID> = []
  /// The newest last.
  private(set) var tickets: [Identifier] = []
  private(set) var untold: Set<Identifier> = []
  var notices: [Notices.Key] = []
  private var ended: Set<Identifier> = []
  /// Choices that the engine has answered in this turn as ended well.
  private var answered: Set<Identifier> = []
  private var sequence: UInt64 = 0

  init(_ bytes: inout Bytes) {
    let flags = bytes.byte()
    var count: UInt64 = 1_000
    var settings = EngineSettings(
      device: DeviceID(hash: [UInt8](repeating: 1, count: 32), check: [1, 1, 1, 1]), deviceName: "lap", boot: "boot",
      makeIdentifier: {
        count += 1
        return Identifier(high: 0, low: count)
      })
    settings.policy.sharesSnapshots = flags & 1 != 0
    settings.policy.keepsSnapshots = flags & 2 != 0
    if flags & 4 != 0 { settings.policy.sharing.applications = [appIDs[1]] }
    settings.showsOffers = flags & 8 == 0
    settings.crypto = pairing.crypto
    half = [6: .web, 7: .pairing][flags >> 5]
    types =
      ["com.example.reading", "com.example.writing"].compactMap { ActivityType($0) }
      + (half == .web ? [.browsingWeb] : [])
    self.settings = settings
    engine = Engine(settings, at: Moment(instant: 100_000, seconds: 1_700_000_000, microseconds: 0))
    // Most of what can happen needs a device, an application, and a daemon that has started.
    if flags & 16 == 0 {
      install(0)
      pair(3)
      handle(.loaded([]))
      start(&bytes)
      for device in devices.prefix(2) { handle(.link(.up(device, name: "desk"))) }
      sessions = [0]
      handle(.door(0, .registered(appIDs[0], .system)))
    }
  }

  /// Whether the engine waits for a time, and one that comes.
  private var isTimed: Bool { (timer ?? .distantFuture) < .distantFuture }

  private var moment: Moment {
    Moment(instant: now, seconds: seconds, microseconds: now.milliseconds &* 1_000)
  }

  // MARK: Events

  func pass(_ milliseconds: UInt64) {
    now = now + milliseconds
    let (later, overflow) = seconds.addingReportingOverflow(milliseconds / 1_000)
    seconds = overflow ? .max : later
  }

  /// Lets time pass until the engine's timer fires, unless it never does.
  func wake() {
    guard isTimed, let timer else { return }
    if timer > now { pass(now.time(until: timer)) }
    self.timer = nil
    handle(.time)
  }

  func install(_ flags: UInt8, claims: [AssociatedDomain] = []) {
    var index = ApplicationIndex()
    let installed = appIDs.prefix(2).enumerated().filter { flags & (1 << $0.offset) == 0 }.map { $0.element }
    for id in installed {
      index.set(
        id,
        to: InstalledApplication(
          appID: id, name: "Reader", desktopFile: "/reader.desktop", tier: flags & 4 == 0 ? .system : .user,
          activityTypes: flags & 8 == 0 ? types : [types[0]], team: "team", domains: claims))
    }
    web.claim(installed.isEmpty ? [] : claims)
    handle(.applications(index))
    handle(.rules(MatchRules(allowsUserTeams: flags & 16 != 0)))
  }

  /// A link is followed, a domain answers, or an application claims other ones.
  func browse(_ bytes: inout Bytes) {
    switch bytes.below(4) {
    case 0: install(bytes.byte() | 8, claims: web.claims(bytes.byte()))
    case 1: handle(.rules(web.rules(bytes.byte(), applications: appIDs)))
    default: handle(web.event(&bytes, applications: appIDs) { request(.link) })
    }
  }

  func pair(_ flags: UInt8) {
    paired = Set(devices.enumerated().filter { flags & (1 << $0.offset) != 0 && $0.offset < 2 }.map { $0.element })
    let rules = ReceivingRule.allCases
    let rule = rules[Int(flags >> 4) % rules.count]
    handle(
      .paired(
        paired.sorted().map { Event.PairedName(device: $0, name: flags & 8 == 0 ? "" : "desk", receiving: rule) }))
  }

  /// Something happens to a pairing, or in the network.
  func goOnPairing(_ bytes: inout Bytes) {
    let event = pairing.event(&bytes, at: seconds, request: { request(.other) })
    handle(event ?? .discovery(discovery.event(&bytes, devices: devices)))
  }

  /// The daemon has started; or later, a device was reached, or has reached this one, this one has slept, its screen was
  /// locked or unlocked, an introduction that the user has accepted could not be written down, other folders are shared, or
  /// a file was found in one.
  func start(_ bytes: inout Bytes) {
    guard hasStarted else {
      hasStarted = true
      return handle(.canLaunch)
    }
    let device = bytes.one(of: devices)
    switch bytes.below(7) {
    case 0: handle(.woke)
    case 5: handle(.folders(["notes", "photos", "c"].suffix(bytes.below(4))))
    case 6:
      guard let (activity, file) = finding.popLast() else { return }
      handle(.foundFile(activity, file, bytes.one(of: [.folder("notes"), .folder("c"), .outside, .unknown])))
    case 3: handle(.locked(bytes.bool()))
    case 1: handle(.link(.reachedBy(device)))
    case 2: if let address = LinkAddress("192.0.2.\(bytes.byte()):1") { handle(.link(.reached(device, address))) }
    default:
      guard let introduction = pinning.popLast() else { return }
      handle(.notPinned(introduction, SegueError(.system, "The disk is full.")))
    }
  }

  /// The daemon is killed, and the next one starts with what this one has written down.
  func restart(_ bytes: inout Bytes) {
    let saved: ContinuationJournal
    do throws(SegueError) {
      saved = try ContinuationJournal.decode(try journal.encode())
      // Text is cleaned when it is read, and does not change afterwards.
      let again = try ContinuationJournal.decode(try saved.encode())
      check(again == saved, "the journal is another when it is read back:\n\(saved)\n\(again)")
    } catch {
      fatalError("the journal cannot be read back: \(error.message)")
    }
    check(saved.running.map { $0.id } == journal.running.map { $0.id }, "other continuations are read back")
    check(saved.untold == journal.untold && saved.unheard == journal.unheard, "other notices are read back")
    check(saved.given == journal.given && saved.taken == journal.taken, "other memories are read back")
    engine = Engine(settings, journal: saved, at: moment)
    (calls, callers, abandoned, fetches, saves, stores) = ([:], [:], [], [:], [:], [:])
    (localizing, browsing, channels, telling, toldOffers, sessions) = ([], [], [], [], [], [])
    (timer, notices, tickets, sequence, paired, pinning, proposals) = (nil, [], [], 0, [], [], [])
    finding = []
    hasStarted = false
    pairing.restart()
    discovery.restart()
    web.restart()
    streams.restart()
    files.restart()
    handle(.associations(web.stored))
    install(bytes.byte())
    pair(bytes.byte())
  }

  func request(_ call: Call, of session: SessionID? = nil) -> RequestID {
    callCount += 1
    calls[callCount] = call
    callers[callCount] = session
    return callCount
  }

  /// An application that has left waits for no answer.
  func left(_ session: SessionID) {
    sessions.remove(session)
    toldOffers.remove(session)
    telling = telling.filter { $0.session != session }
    saves = saves.filter { $0.value.session != session }
    streams.left(session)
    files.left(session)
    for (request, caller) in callers where caller == session {
      callers[request] = nil
      calls[request] = nil
      abandoned.insert(request)
    }
  }

  // MARK: The engine's effects

  func handle(_ event: Event) {
    if Self.isTold { print("\(now.milliseconds) \(event)") }
    let effects = engine.handle(event, at: moment)
    if Self.isTold { for effect in effects { print("    \(effect)") } }
    check(effects.count <= 1_000, "\(effects.count) effects in one turn")
    var refused: [StoreID] = []
    for (place, effect) in effects.enumerated() {
      if case .record(let journal) = effect {
        for effect in effects[..<place] {
          // These effects have no consequences that a restarted daemon would have to know of.
          switch effect {
          case .fetch, .cancelFetch, .askSave, .closeNotice: break
          default: fatalError("this is done before it is recorded: \(effect)")
          }
        }
        record(journal)
      } else if case .store(let id, let request) = effect {
        // The store's queue has a limit.
        if stores.count < Limits.pendingStoreRequests { stores[id] = request } else { refused.append(id) }
      } else {
        perform(effect)
      }
    }
    check(answered.isSubset(of: ended), "a choice has ended well that still runs")
    answered = []
    check(engine.deadlines.next == timer, "the timer is set to another time than the next deadline")
    look()
    for id in refused { handle(.stored(id, .failure(SegueError(.limitExceeded, "Full.")))) }
  }

  private func record(_ journal: ContinuationJournal) {
    self.journal = journal
    untold = Set(journal.untold.map { $0.notice.continuation })
    check(journal.running.count <= Limits.continuationsRecorded, "too many continuations are recorded")
    for running in journal.running { check(!ended.contains(running.id), "what has ended runs again") }
    do throws(SegueError) {
      check(try journal.encode().count < Limits.fileLength, "the journal is too long")
    } catch {
      fatalError("the journal cannot be written: \(error.message)")
    }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .record, .store, .log, .redial: break
    case .fetchAssociation, .keepAssociation, .forgetAssociation: web.perform(effect)
    case .stream(let effect): streams.perform(effect, sessions: sessions, paired: paired)
    case .file(let effect): files.perform(effect, sessions: sessions, paired: paired)
    case .findFile(let activity, let file):
      finding.append((activity, file))
    case .pairing(let effect): pairing.perform(effect)
    case .discovery(let effect): discovery.perform(effect)
    case .learn(let device, let contact):
      check(paired.contains(device), "the addresses of a device that is not paired are kept")
      check(contact.told.count <= Limits.deviceAddresses, "\(contact.told.count) addresses are kept")
    case .pin(let request, let introduction):
      if let request { replied(request, .done) } else { pinning.append(introduction) }
      check(!paired.contains(introduction.device), "a device that is paired is introduced")
      check(paired.contains(introduction.introducer), "who is not paired introduces")
    case .wake(let time): timer = time
    case .reply(let request, let reply): replied(request, reply)
    case .send(let message, let device):
      check(paired.contains(device), "a device that is not paired is told something")
      if case .propose(let proposal) = message {
        check((try? message.encode()) != nil, "the proposal cannot be sent")
        proposals = proposals.suffix(7) + [proposal.id]
      }
      guard case .offers(let number, let offers, _) = message else { return }
      check(number > sequence, "the sequence of the offers does not grow")
      sequence = number
      check(offers.allSatisfy { !settings.policy.sharing.applications.contains($0.appID) }, "what is withheld is told")
      check((try? message.encode()) != nil, "the offers cannot be sent")
    case .fetch(let id, let request, let device):
      check(paired.contains(device), "a device that is not paired is asked")
      fetches[id] = Pending(activity: request.activity, device: device)
    case .cancelFetch(let id): check(fetches.removeValue(forKey: id) != nil, "a fetch is cancelled that there is not")
    case .answerFetch(let channel, let answer):
      check(channels.remove(channel) != nil, "a channel is answered on which nobody waits")
      if case .snapshot(let snapshot) = answer { check(snapshot.type.string.utf8.count > 0, "no type") }
    case .askSave(let id, let activity, _, let session):
      check(sessions.contains(session), "an application is asked that is not there")
      saves[id] = Pending(activity: activity, session: session)
    case .endSave(let id): check(saves.removeValue(forKey: id) != nil, "a save is ended that nobody was asked for")
    case .tellContinued(let session, let notice):
      check(sessions.contains(session), "an application is told that is not there")
      let isNew = telling.insert(Telling(session: session, continuation: notice.continuation)).inserted
      check(isNew, "an application is told the same twice")
      check(telling.count <= 4 * Limits.continuationsUntold, "\(telling.count) notices are on their way")
    case .tellOffers(let session, let offers):
      check(sessions.contains(session), "an application is told that is not there")
      check(toldOffers.insert(session).inserted, "an application is told before it has heard what went before")
      check(offers.count <= Limits.offersPerApplication, "an application is told of \(offers.count) offers")
    case .launch(let launch):
      check(!ended.contains(launch.continuation), "what has ended is launched")
      check(journal.running.contains { $0.id == launch.continuation }, "a launch that is not recorded")
      check(!tickets.contains(launch.ticket), "a ticket is used again")
      tickets = tickets.suffix(7) + [launch.ticket]
    case .localize(let id, _): check(localizing.insert(id).inserted, "files are waited for twice")
    case .cancelLocalize(let id): localizing.remove(id)
    case .openBrowser(let id, let page):
      check(page.string.hasPrefix("http://") || page.string.hasPrefix("https://"), "a browser opens \(page.string)")
      check(!ended.contains(id), "a browser opens what has ended")
      browsing.insert(id)
    case .showNotice(let key, _):
      notices = notices.filter { $0 != key } + [key]
      check(notices.count <= Limits.noticesRemembered * devices.count, "there are \(notices.count) notices")
    case .closeNotice(let key): notices.removeAll { $0 == key }
    case .signal(.continuationChanged(let id, let state)):
      check(!ended.contains(id), "what has ended is \(state.rawValue)")
      if state == .continued || state == .failed { ended.insert(id) }
    case .showText(let id, _):
      check(engine.receivedTexts.contains { $0.text.id == id }, "a text is shown that there is not")
    case .signal: break
    }
  }

  /// Checks that each call has one reply, and of the kind that fits.
  private func replied(_ request: RequestID, _ reply: Effect.Reply) {
    callers[request] = nil
    if case .stream(let id) = reply { streams.replied(id) }
    if case .link(let opener) = reply { web.replied(request, opener) }
    guard let call = calls.removeValue(forKey: request) else {
      return check(abandoned.remove(request) != nil, "a second reply to a call")
    }
    switch (call, reply) {
    case (_, .failed(let error)): check(!error.message.isEmpty, "an error without a message")
    case (.other, .done), (.stream, .stream), (.file, .file), (.begin, .begun), (.begun, .continuation): break
    case (.link, .link): break
    case (.ended, .continuation(let id)): answered.insert(id)
    case (.claim, .claimed(let snapshot)):
      check(
        ids.contains(snapshot.id) || web.isLink(snapshot), "a claim of what nobody has")
    default: fatalError("a reply of another kind: \(call), \(reply)")
    }
  }

  /// Checks the lists that user interfaces read.
  private func look() {
    let list = engine.list(at: moment)
    check(list.count <= 3 * 32 + ids.count * 3, "\(list.count) offers are listed")
    check(list.allSatisfy { !$0.match.candidates.isEmpty || $0.place != .here }, "an offer that nobody can continue")
    _ = engine.activities(at: moment)
    _ = engine.storedCopies(at: moment)
    check(engine.pairedDevices.count == paired.count, "another number of devices")
    pairing.look(engine.pairingState)
    let texts = engine.receivedTexts.map { $0.text }
    check(texts.count <= Limits.textsPerDevice * paired.count, "\(texts.count) texts are kept")
    check(texts.allSatisfy { paired.contains($0.device) }, "a text is kept of a device that is not paired")
    let pending = engine.pendingIntroductions.map { $0.introduction }
    check(pending.count <= Limits.introductions, "\(pending.count) introductions")
    check(pending.allSatisfy { paired.contains($0.introducer) && !paired.contains($0.device) }, "a vain introduction")
  }

  // MARK: The end

  /// Everybody falls silent but the disk, which has failed, and the daemon's own services; once time has passed,
  /// every caller that waits has its answer.
  func end() {
    handle(.canLaunch)
    for device in devices { handle(.link(.down(device))) }
    handle(.discovery(discovery.unavailable))
    let start = now
    var turns = 0
    repeat {
      for id in stores.keys.sorted() {
        stores[id] = nil
        handle(.stored(id, .failure(SegueError(.system, "The disk is gone."))))
      }
      for id in fetches.keys.sorted() where fetches.removeValue(forKey: id) != nil {
        handle(.link(.fetchLost(id, withLink: true)))
      }
      for id in localizing.sorted() where localizing.remove(id) != nil {
        handle(.localized(continuation: id, .failure(SegueError(.handoffFailed, "It does not arrive."))))
      }
      for event in streams.atTheEnd() + web.atTheEnd() { handle(event) }
      if let event = pairing.remembered(SegueError(.system, "The disk is gone.")) { handle(event) }
      for id in browsing.sorted() where browsing.remove(id) != nil { handle(.browserOpened(continuation: id, nil)) }
      wake()
      turns += 1
      check(turns < 5_000, "the engine wakes ever again")
      // Requests that the engine makes in the last turn are answered too.
    } while (isTimed || !stores.isEmpty || !fetches.isEmpty || !localizing.isEmpty || !browsing.isEmpty)
      && start.time(until: now) < 600_000
    check(calls.isEmpty, "calls wait for ever: \(calls)")
    check(channels.isEmpty, "devices wait for ever: \(channels)")
    check(saves.isEmpty, "saves wait for ever: \(saves.keys.sorted())")
    pairing.end()
    check(streams.isAtRest, "streams are left")
    check(files.isAtRest, "files are left")
    check(fetches.isEmpty && localizing.isEmpty, "the engine waits for ever")
    for running in journal.running { fatalError("a continuation has no end: \(running.id.low)") }
  }
}
