import SegueCore
import SegueEngine

// The link service: messages to other devices, and from them.

extension VirtualDaemon {
  func link(to peer: VirtualDevice) -> Int? { online[peer.index] }

  // MARK: Links

  func linkUp(_ peer: VirtualDevice, _ generation: Int) {
    guard isRunning else { return }
    online[peer.index] = generation
    handle(.link(.up(peer.id, name: peer.name)))
  }

  /// Every link to the peer that is older than `generation` has ended.
  func linkDown(_ peer: VirtualDevice, before generation: Int) {
    guard isRunning, let current = online[peer.index], current < generation else { return }
    online[peer.index] = nil
    leaving = peer
    defer { leaving = nil }
    let lost = fetches.values.filter { $0.origin === peer }.compactMap { $0.id }.sorted()
    for fetch in lost { fetches[fetch] = nil }
    let channels = asked.values.filter { $0.device === peer }.map { $0.channel }
    for channel in channels.sorted(by: { $0.value < $1.value }) {
      asked[channel] = nil
      handle(.link(.channelClosed(channel)))
    }
    streams.lose(to: peer)
    // The channels' ends, and the link's, are told in either order.
    if device.random.oneIn(2) { handle(.link(.down(peer.id))) }
    for fetch in lost { handle(.link(.fetchLost(fetch, withLink: true))) }
    wantedFiles.lose(from: peer)
    givenFiles.lose(to: peer)
    if online[peer.index] == nil { handle(.link(.down(peer.id))) }
    let vain = fetches.values.filter { $0.origin === peer && $0.generation < generation }
    for fetch in vain.compactMap({ $0.id }).sorted() {
      fetches[fetch] = nil
      handle(.link(.fetchLost(fetch, withLink: true)))
    }
  }

  func send(_ message: LinkMessage, to peer: DeviceID) {
    guard let peer = world.device(peer), online[peer.index] != nil else {
      return world.problem("a message to a device without a link")
    }
    if case .offers = message, !device.isPaired(peer) { world.problem("V17: offers for a device that is not paired") }
    let id = device.id
    world.link(device, peer)?.send(from: device, "\(message)") { $0.handle(.link(.message(id, message))) }
  }

  // MARK: Lies

  /// The daemon tells a peer that it has continued an activity which it was never given: an activity of the peer under
  /// an id that the daemon makes up, and under the id of another device's continuation. Activities that may be kept are
  /// left out, since the daemon may have been given those.
  func lie(_ application: Int, to peer: VirtualDevice) {
    guard online[peer.index] != nil, device.isPaired(peer), let activity = world.latest[peer.index][application],
      !activity.allowsSnapshot
    else { return }
    let others = world.accounts.values.filter { $0.offer == activity.id && $0.device !== device }
    for continuation in [world.newIdentifier()] + others.map({ $0.id }).sorted() {
      send(
        .continued(
          ContinuedNotice(
            continuation: continuation, activity: activity.id, appID: world.catalog.appIDs[application],
            inBrowser: false)), to: peer.id)
      guard world.schedule.brings > 0 else { continue }
      // The daemon does not get a file of that activity either.
      let request = FileRequest(continuation: continuation, activity: activity.id, url: "file:///0")
      wantedFiles.ask(peer, request, ChannelID(value: world.newNumber()))
    }
  }

  // MARK: Fetches from others

  func fetch(_ id: FetchID, _ request: FetchRequest, from origin: DeviceID) {
    guard let origin = world.device(origin), let generation = online[origin.index] ?? (leaving === origin ? 0 : nil)
    else { return world.problem("a fetch from a device without a link") }
    if !device.isPaired(origin) { world.problem("V14: a fetch from a device that is not paired") }
    let fetch = VirtualFetch(
      id, ChannelID(value: world.newNumber()), request, by: device, from: origin, generation)
    fetches[id] = fetch
    // The link may have ended before all of its end was reported: then the fetch is lost at once.
    if online[origin.index] != nil { send(fetch) }
  }

  private func send(_ fetch: VirtualFetch) {
    world.link(device, fetch.origin)?.send(from: device, "fetch \(fetch.channel)") { $0.fetchAsked(fetch) }
  }

  /// Sends the fetches that are under way once more, with an answer that is not awaited.
  func fetchOnceMore() {
    for fetch in fetches.values.sorted(by: { $0.channel.value < $1.channel.value }) {
      send(
        VirtualFetch(
          nil, ChannelID(value: world.newNumber()), fetch.request, by: device, from: fetch.origin, fetch.generation))
    }
  }

  func cancelFetch(_ id: FetchID) {
    guard let fetch = fetches.removeValue(forKey: id) else {
      return world.problem("a fetch was cancelled that is not under way")
    }
    let channel = fetch.channel
    world.link(device, fetch.origin)?.send(from: device, "fetch \(channel) is cancelled") { $0.close(channel) }
  }

  private func close(_ channel: ChannelID) {
    guard asked.removeValue(forKey: channel) != nil else { return }
    handle(.link(.channelClosed(channel)))
  }

  private func fetchAnswered(_ fetch: VirtualFetch, _ answer: FetchAnswer?) {
    guard let id = fetch.id, fetches.removeValue(forKey: id) != nil else { return }
    handle(.link(answer.map { .fetchAnswered(id, $0) } ?? .fetchLost(id, withLink: false)))
  }

  // MARK: Fetches by others

  /// Whether the daemon can give at once the state that an application has left.
  func gives(_ activity: Identifier) -> Bool {
    guard let asker = world.devices.first(where: { device.isPaired($0) }) else { return true }
    lastAnswer = nil
    let appID = world.activities[activity]?.process.appID ?? world.catalog.appIDs[0]
    let request = FetchRequest(continuation: world.newIdentifier(), activity: activity, appID: appID)
    fetchAsked(VirtualFetch(nil, ChannelID(value: world.newNumber()), request, by: asker, from: device, 0))
    if case .snapshot? = lastAnswer { return true }
    return false
  }

  private func fetchAsked(_ fetch: VirtualFetch) {
    asked[fetch.channel] = fetch
    handle(.link(.fetchAsked(fetch.channel, fetch.device.id, fetch.request)))
  }

  func answerFetch(_ channel: ChannelID, _ answer: FetchAnswer) {
    // If the channel was closed meanwhile, the answer is no longer awaited.
    guard let fetch = asked.removeValue(forKey: channel) else {
      return world.problem("S9: a fetch was answered twice, or for nobody")
    }
    if fetch.id == nil { lastAnswer = answer }
    var answer = answer
    if case .snapshot(var snapshot) = answer {
      world.judge(given: snapshot, by: self, to: fetch)
      // The snapshot names the files of userInfo in containers.
      if let file = world.activities[snapshot.id]?.file {
        snapshot.files = [file]
        answer = .snapshot(snapshot)
      }
    }
    let given: FetchAnswer? = device.random.oneIn(60) ? nil : answer
    world.link(device, fetch.device)?.send(from: device, "the answer to fetch \(channel)") {
      $0.fetchAnswered(fetch, given)
    }
  }
}
