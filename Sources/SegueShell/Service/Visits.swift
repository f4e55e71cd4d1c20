import SegueBus
import SegueCore
import SegueRuntime
import SegueState

/// The viewers of this device that look at sessions of other devices. Each gets streams, and others when they break: by
/// the continuation that there is, or by a new one where the daemon does not know of that any more. `ShellVisits` decides.
final class Visits {
  /// An activity that was continued here, and the token by which its window may come to the front.
  private struct Arrival {
    let activity: Activity
    let activation: String
  }

  private let application: Application
  private let loop: EventLoop
  private let log: (String) -> Void
  private var machine = ShellVisits()
  private var channels: [ShellVisits.VisitID: FrameChannel] = [:]
  private var lastID = 0
  private var arrivals: TextMap<Arrival> = [:]
  private var wasRefused = false
  private var timer: LoopTimer?
  /// One has come or gone.
  var changed: (() -> Void)?
  /// This device's name.
  var device: String {
    get { machine.device }
    set { machine.device = newValue }
  }

  init(_ application: Application, _ loop: EventLoop, log: @escaping (String) -> Void) {
    self.application = application
    self.loop = loop
    self.log = log
  }

  var isEmpty: Bool { machine.isEmpty }
  var isChoosing: Bool { machine.isChoosing }

  // MARK: What happens

  /// Opens a terminal, unless a viewer waits for this.
  func continueHere(_ activity: Activity, _ continuation: Continuation) -> Bool {
    let token = Identifier.random().hex
    arrivals[token] = Arrival(
      activity: activity, activation: String(cString: continuation.activationTokenText.pointer))
    wasRefused = false
    handle(
      .arrived(
        token: token, from: activity.continuedFrom?.id.hex,
        device: ShellNames.clean(String(cString: continuation.deviceNameText.pointer))))
    // It lives as long as streams may be asked for.
    if !wasRefused { activity.retained() }
    return !wasRefused
  }

  func view(_ token: String, _ channel: FrameChannel) { handle(.views(add(channel), token: token)) }

  func want(device: String, alias: String, activity: String, _ channel: FrameChannel) {
    handle(.wants(add(channel), device: device, alias: alias, activity: activity))
  }

  func daemonLost() { handle(.daemonLost) }

  func offersChanged() {
    let offers = application.followOffers().filter { !$0.isHere && !$0.isStored }
    handle(.offers(offers.map { Self.offer($0) }))
  }

  private func add(_ channel: FrameChannel) -> ShellVisits.VisitID {
    lastID += 1
    let id = lastID
    channels[id] = channel
    channel.received = { [unowned self] frame throws(ProtocolFailure) in
      guard case .again = try ServiceMessage(frame) else { throw ProtocolFailure("what only others say") }
      handle(.again(id))
    }
    channel.ended = { [unowned self] _ in remove(id) }
    return id
  }

  private func remove(_ id: ShellVisits.VisitID) {
    channels.removeValue(forKey: id)?.close()
    handle(.gone(id))
  }

  // MARK: The machine

  /// `streams`: those that have come with the event.
  private func handle(_ event: ShellVisits.Event, streams: StreamPair? = nil) {
    let wasEmpty = isEmpty
    for effect in machine.handle(event, at: .now) { perform(effect, streams) }
    if isEmpty != wasEmpty { changed?() }
  }

  private func perform(_ effect: ShellVisits.Effect, _ streams: StreamPair?) {
    switch effect {
    case .request(let id, let token): request(id, token)
    case .choose(let activity): choose(activity)
    case .open(let token): open(token)
    case .refuse(let token):
      wasRefused = true
      arrivals[token] = nil
    case .forget(let token): arrivals[token] = nil
    case .pass(let id, let message):
      guard let streams, let channel = channels[id] else { return }
      if !channel.send(message.frame, with: [streams.input, streams.output]) { remove(id) }
    case .send(let id, let message): channels[id]?.send(message.frame)
    case .close(let id): channels.removeValue(forKey: id)?.close()
    case .missed: log("the terminal did not start a viewer")
    case .wake(let time):
      timer?.cancel()
      timer = time.map { loop.timer(at: $0) { [weak self] in self?.handle(.timer) } }
    }
  }

  private func request(_ id: ShellVisits.VisitID, _ token: String) {
    guard let activity = arrivals[token]?.activity else { return }
    do throws(SegueError) {
      try application.requestStreams(for: activity) { [weak self] result in
        switch result {
        case .success(let streams): self?.handle(.streams(id), streams: streams)
        case .failure(let error): self?.handle(.noStreams(id, token: token, error))
        }
      }
    } catch {
      handle(.noStreams(id, token: token, error))
    }
  }

  private func choose(_ activity: String) {
    do throws(SegueError) {
      guard let offer = application.followOffers().first(where: { Self.offer($0).activity == activity }) else {
        throw SegueError(.notFound, "There is no such offer any more.")
      }
      try application.choose(offer, activationToken: nil) { [weak self] error in
        if let error { self?.handle(.notChosen(activity: activity, error)) }
      }
    } catch {
      handle(.notChosen(activity: activity, error))
    }
  }

  private func open(_ token: String) {
    do throws(SegueError) {
      try TerminalProgram.open(
        [try ShellCommands.program(), "--continued", token], activationToken: arrivals[token]?.activation ?? "")
    } catch {
      log("\(error.message) \(error.advice)")
      handle(.notOpened(token: token))
    }
  }

  private static func offer(_ offer: OfferHandle) -> ShellVisits.Offer {
    let id = String(cString: offer.idText.pointer)
    return ShellVisits.Offer(
      device: String(cString: offer.deviceText.pointer),
      name: ShellNames.clean(String(cString: offer.deviceNameText.pointer)),
      activity: String(id.drop { $0 != "/" }.dropFirst()))
  }
}
