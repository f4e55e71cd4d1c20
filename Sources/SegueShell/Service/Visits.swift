import SegueBus
import SegueCore
import SegueRuntime

/// The viewers of this device that look at sessions of other devices. Each gets streams, and others when they break: by
/// the continuation that there is, or by a new one where the daemon does not know of that any more.
final class Visits {
  /// Another device.
  private final class Host {
    let name: String
    /// Distinguishes the device from another of the same name, once it has offered something.
    var alias: String
    /// An activity that was continued from there, by which streams are asked for.
    var activity: Activity?
    /// This device's daemon was gone since: that it lists no offer does not mean that there is none.
    var isUncertain = false

    init(name: String, alias: String) {
      self.name = name
      self.alias = alias
    }

    func isSame(as other: Host) -> Bool { alias.isEmpty ? name == other.name : alias == other.alias }
  }

  private final class Visit {
    let channel: FrameChannel
    var host: Host
    /// The activity's id of the offer that is meant; empty: any offer of the device.
    var activity: String
    var backoff = Backoff()
    var timer: LoopTimer?
    var hadStreams = false
    /// It waits for a new continuation.
    var isLooking = false

    init(_ channel: FrameChannel, _ host: Host, activity: String = "") {
      self.channel = channel
      self.host = host
      self.activity = activity
    }
  }

  private let application: Application
  private let loop: EventLoop
  private let log: (String) -> Void
  private var visits: [Visit] = []
  /// Hosts whose terminals are about to start viewers, by the token that the viewers will send.
  private var expected: TextMap<Host> = [:]
  /// The continuation that was begun for viewers that look for one: the activity's id.
  private var chosen: (host: Host, activity: String)?
  private var backoff = Backoff()
  private var rest: LoopTimer?
  /// Called when a viewer has come or gone.
  var changed: (() -> Void)?
  /// This device's name.
  var device = ""

  init(_ application: Application, _ loop: EventLoop, log: @escaping (String) -> Void) {
    self.application = application
    self.loop = loop
    self.log = log
  }

  var isEmpty: Bool { visits.isEmpty && expected.isEmpty }

  /// Whether an activity is being continued for a viewer, and not for a new window.
  var isChoosing: Bool { chosen != nil }

  // MARK: Continuations

  /// Opens a terminal, unless a viewer waits for this.
  func continueHere(_ activity: Activity, _ continuation: Continuation) -> Bool {
    if let chosen, chosen.activity == activity.continuedFrom?.id.hex {
      found(activity, at: chosen.host)
      return true
    }
    guard visits.count + expected.count < Limits.shellSessions else { return false }
    let token = Identifier.random().hex
    do throws(SegueError) {
      try TerminalProgram.open(
        [try ShellCommands.program(), "--continued", token],
        activationToken: String(cString: continuation.activationTokenText.pointer))
    } catch {
      log("\(error.message) \(error.advice)")
      return false
    }
    let host = Host(name: ShellNames.clean(String(cString: continuation.deviceNameText.pointer)), alias: "")
    keep(activity, at: host)
    expected[token] = host
    loop.timer(after: Limits.shellLaunchTime) { [weak self] in
      guard let self, expected.removeValue(forKey: token) != nil else { return }
      log("the terminal did not start a viewer")
      changed?()
    }
    changed?()
    return true
  }

  /// Keeps the activity as long as a viewer may ask for streams.
  private func keep(_ activity: Activity, at host: Host) {
    activity.retained()
    host.activity = activity
    host.isUncertain = false
  }

  private func found(_ activity: Activity, at host: Host) {
    keep(activity, at: host)
    chosen = nil
    rest?.cancel()
    backoff.succeeded(at: .now)
    // One continuation serves all viewers of the device: its offer may be hidden from now on.
    for visit in visits where visit.isLooking && (visit.host === host || visit.host.isSame(as: host)) {
      visit.host = host
      visit.isLooking = false
      request(visit)
    }
    choose()
  }

  // MARK: Viewers

  func view(_ token: String, _ channel: FrameChannel) {
    guard let host = expected.removeValue(forKey: token) else {
      channel.send(ServiceMessage.failed("this continuation is over; continue the session again").frame)
      return
    }
    request(add(Visit(channel, host)))
  }

  func want(device: String, alias: String, activity: String, _ channel: FrameChannel) {
    guard visits.count + expected.count < Limits.shellSessions else {
      channel.send(ServiceMessage.failed("\(Limits.shellSessions) sessions of other devices are looked at").frame)
      return
    }
    let host = Host(name: device, alias: alias)
    let known = visits.map(\.host).first { host.isSame(as: $0) }
    request(add(Visit(channel, known ?? host, activity: activity)))
  }

  private func add(_ visit: Visit) -> Visit {
    visits.append(visit)
    visit.channel.received = { [unowned self, unowned visit] frame throws(ProtocolFailure) in
      guard case .again = try ServiceMessage(frame) else { throw ProtocolFailure("what only others say") }
      requestLater(visit)
    }
    visit.channel.ended = { [unowned self, unowned visit] _ in remove(visit) }
    changed?()
    return visit
  }

  private func remove(_ visit: Visit) {
    visit.timer?.cancel()
    visits.removeAll { $0 === visit }
    changed?()
  }

  // MARK: Streams

  /// Errors that another continuation may help with.
  private static let stale: Set<SegueError.Code> = [.notFound, .invalidated, .accessDenied]
  /// Errors that stay, however often streams are asked for.
  private static let final: Set<SegueError.Code> = [.notHandled, .invalidArgument, .versionMismatch]

  private func request(_ visit: Visit) {
    guard let activity = visit.host.activity else { return look(visit) }
    do throws(SegueError) {
      try application.requestStreams(for: activity) { [weak self, weak visit] result in
        guard let self, let visit else { return }
        switch result {
        case .success(let streams): give(visit, streams)
        case .failure(let error): failed(visit, activity, error)
        }
      }
    } catch {
      failed(visit, activity, error)
    }
  }

  private func requestLater(_ visit: Visit) {
    visit.timer?.cancel()
    visit.timer = loop.timer(after: visit.backoff.failed(at: .now)) { [weak self, weak visit] in
      if let self, let visit { request(visit) }
    }
  }

  private func give(_ visit: Visit, _ streams: StreamPair) {
    visit.backoff.succeeded(at: .now)
    visit.hadStreams = true
    let message = ServiceMessage.stream(device: visit.host.name, alias: visit.host.alias, own: device)
    if !visit.channel.send(message.frame, with: [streams.input, streams.output]) { leave(visit) }
  }

  private func leave(_ visit: Visit) {
    visit.channel.close()
    remove(visit)
  }

  private func failed(_ visit: Visit, _ activity: Activity, _ error: SegueError) {
    if Self.stale.contains(error.code) {
      if visit.host.activity === activity { visit.host.activity = nil }
      look(visit)
    } else if Self.final.contains(error.code) || error.code == .limitExceeded && !visit.hadStreams {
      fail(visit, error.message)
    } else {
      requestLater(visit)
    }
  }

  private func fail(_ visit: Visit, _ reason: String) {
    visit.isLooking = false
    visit.channel.send(ServiceMessage.failed(reason).frame)
  }

  // MARK: Another continuation

  /// Waits for an offer of the device. If the device was there all the time and offers nothing, the session has ended.
  private func look(_ visit: Visit) {
    visit.isLooking = true
    visit.channel.send(ServiceMessage.waits.frame)
    if !visit.host.isUncertain {
      visit.timer?.cancel()
      visit.timer = loop.timer(after: Limits.shellLaunchTime) { [weak self, weak visit] in
        guard let self, let visit, visit.isLooking, !visit.host.isUncertain else { return }
        fail(
          visit,
          visit.hadStreams || visit.host.alias != ""
            ? "the session has ended, or is not shared any more"
            : "\(DisplayText.quoted(visit.host.name)) has no session on offer; share one there: segue-shell share")
      }
    }
    choose()
  }

  /// The daemon of this device is gone.
  func daemonLost() {
    for visit in visits { visit.host.isUncertain = true }
    for host in expected.values { host.isUncertain = true }
    chosen = nil
    rest?.cancel()
  }

  /// Continues what is on offer and wanted, one at a time: a second choice would take the place of the first one.
  func choose() {
    guard chosen == nil, rest?.isActive != true else { return }
    for offer in application.followOffers() where !offer.isHere && !offer.isStored {
      let (alias, activity) = Self.names(of: offer)
      let name = ShellNames.clean(String(cString: offer.deviceNameText.pointer))
      let wanting = visits.first { visit in
        guard visit.isLooking else { return false }
        if !visit.activity.isEmpty { return visit.activity == activity }
        return visit.host.alias.isEmpty ? visit.host.name == name : visit.host.alias == alias
      }
      guard let wanting else { continue }
      let host = wanting.host
      host.alias = alias
      // From now on, any offer of the device will do.
      wanting.activity = ""
      chosen = (host, activity)
      do throws(SegueError) {
        try application.choose(offer, activationToken: nil) { [weak self] error in
          guard let self, error != nil, chosen?.activity == activity else { return }
          chooseLater()
        }
      } catch {
        return chooseLater()
      }
      // A continuation that begins and does not come is not waited for without end.
      rest = loop.timer(after: Limits.shellLaunchTime) { [weak self] in self?.chooseLater() }
      return
    }
  }

  private func chooseLater() {
    chosen = nil
    rest?.cancel()
    rest = loop.timer(after: backoff.failed(at: .now)) { [weak self] in
      self?.rest = nil
      self?.choose()
    }
  }

  /// The device's alias, and the activity's id.
  private static func names(of offer: OfferHandle) -> (alias: String, activity: String) {
    let id = String(cString: offer.idText.pointer)
    return (String(cString: offer.deviceText.pointer), String(id.drop { $0 != "/" }.dropFirst()))
  }
}
