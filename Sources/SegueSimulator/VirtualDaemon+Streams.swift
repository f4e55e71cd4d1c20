import SegueCore
import SegueEngine

// The stream service: pairs for processes, and their numbers over the link.

extension VirtualDaemon {
  func stream(_ effect: StreamEffect) {
    switch effect {
    case .open(let id, let request, let device): open(id, request, device)
    case .accept(let id, let channel, let activity, let session): accept(id, channel, activity, session)
    case .connect(let id, let activity, let session): connect(id, activity, session)
    case .begin(let id): begin(id)
    case .refuse(let channel, let error): refuse(channel, error)
    case .end(let id, let error, _): end(id, error)
    }
  }

  /// The pair for the process that has asked.
  func pair(of id: StreamID) -> VirtualPair? { streams[id]?.pair ?? localStreams[id]?.asker }

  /// Notes which streams between two processes here are over, since no byte of them passes the daemon.
  func noteStreamEnds() {
    for (id, local) in localStreams.sorted(by: { $0.key < $1.key })
    where local.asker.isClosed || local.owner.isClosed || local.asker.hasClosedOutput && local.owner.hasClosedOutput {
      localStreams[id] = nil
      handle(.stream(.closed(id)))
    }
  }

  /// If a reply is not taken, the pair that came with it is closed.
  func closeUntaken(_ id: StreamID) {
    if let pair = pair(of: id) { closeUntaken(pair) }
  }

  private func closeUntaken(_ pair: VirtualPair) {
    world.after(Limits.callTime, "what came with \(pair.name) is gone") {
      if pair.holder == nil { pair.close() }
    }
  }

  /// The daemon is killed: the kernel tells each process that has a pair of a stream to another device. Streams within
  /// the device go on if both processes have their pairs, or will get them; the pairs that only the daemon had are
  /// closed.
  func dropStreams() {
    for end in streams.values { end.pair.lose() }
    for (_, local) in localStreams.sorted(by: { $0.key < $1.key }) {
      for pair in [local.asker, local.owner] where pair.holder == nil { closeUntaken(pair) }
    }
    streams = [:]
    localStreams = [:]
  }

  /// The link is lost.
  func loseStreams(to peer: VirtualDevice) {
    askedStreams = askedStreams.filter { $0.value !== peer }
    for id in streams.filter({ $0.value.peer === peer }).keys.sorted() where streams[id] != nil {
      handle(.stream(.failed(id, SegueError(.connectionUnavailable, "The link is lost."))))
      if isRunning, streams[id] != nil { world.problem("T4: a lost stream goes on") }
    }
  }

  private func newPair() -> VirtualPair {
    let pair = VirtualPair(world, "stream \(world.newNumber()) on \(device.name)")
    world.pairs.append(pair)
    return pair
  }

  // MARK: Within the device

  private func connect(_ id: StreamID, _ activity: Identifier, _ session: SessionID) {
    let (asker, owner) = (newPair(), newPair())
    for (one, other) in [(asker, owner), (owner, asker)] {
      one.write = { [weak other] in other?.receive($0) }
      one.finish = { [weak other] in other?.endOfFile($0) }
    }
    localStreams[id] = (asker, owner)
    bring(id, activity, session, owner)
  }

  private func bring(_ id: StreamID, _ activity: Identifier, _ session: SessionID, _ pair: VirtualPair) {
    if world.activities[activity]?.isInvalid == true { world.problem("T5: a stream of what was invalidated") }
    guard let door = doors[session] else { return world.problem("a stream for an application that has left") }
    door.toProcess("stream \(id)") {
      switch door.process.acceptStream(activity, pair) {
      case .success?: door.say(.acceptedStream(id, nil))
      case .failure(let error)?: door.say(.acceptedStream(id, error))
      case nil: break
      }
    }
  }

  // MARK: Between devices

  private func open(_ id: StreamID, _ request: StreamRequest, _ peer: DeviceID) {
    guard let peer = world.device(peer), link(to: peer) != nil else {
      return world.problem("a stream to a device without a link")
    }
    if !device.isPaired(peer) { world.problem("V14: a stream to a device that is not paired") }
    let (channel, own) = (ChannelID(value: world.newNumber()), device)
    add(id, channel, peer, isAsker: true)
    world.link(device, peer)?.send(from: device, "stream \(channel)") { daemon in
      daemon.askedStreams[channel] = own
      daemon.handle(.link(.streamAsked(channel, own.id, request)))
    }
  }

  private func accept(_ id: StreamID, _ channel: ChannelID, _ activity: Identifier, _ session: SessionID) {
    guard let asker = askedStreams.removeValue(forKey: channel) else { return world.problem("a stream on no channel") }
    if !device.isPaired(asker) { world.problem("V14: a stream for a device that is not paired") }
    bring(id, activity, session, add(id, channel, asker, isAsker: false))
  }

  @discardableResult
  private func add(_ id: StreamID, _ channel: ChannelID, _ peer: VirtualDevice, isAsker: Bool) -> VirtualPair {
    let pair = newPair()
    streams[id] = VirtualStreamEnd(channel, peer, pair, isAsker: isAsker)
    pair.write = { [weak self] number in
      self?.whenOpen(id) { daemon, end in
        guard !end.hasFinished else { return }
        if end.isFirstUse() { daemon.handle(.stream(.used(id))) }
        daemon.pass(end, "number \(number)") { $0.received(channel, number) }
      }
    }
    pair.finish = { [weak self] count in self?.whenOpen(id) { $0.finish(id, $1, count) } }
    pair.stop = { [weak self] in
      self?.whenOpen(id) { daemon, end in
        // The writer learns of that, and so has finished.
        daemon.pass(end, "stop") { other in
          if let (id, end) = other.streamEnd(channel) { other.finish(id, end, end.pair.sent) }
        }
      }
    }
    return pair
  }

  private func whenOpen(_ id: StreamID, _ body: @escaping (VirtualDaemon, VirtualStreamEnd) -> Void) {
    guard isRunning, let end = streams[id] else { return }
    guard !end.isOpen else { return body(self, end) }
    end.waiting.append { [weak self, weak end] in
      if let self, let end, streams[id] === end { body(self, end) }
    }
  }

  private func streamEnd(_ channel: ChannelID) -> (StreamID, VirtualStreamEnd)? {
    streams.first { $0.value.channel == channel }.map { ($0.key, $0.value) }
  }

  private func pass(_ end: VirtualStreamEnd, _ what: String, _ body: @escaping (VirtualDaemon) -> Void) {
    world.link(device, end.peer)?.send(from: device, "\(what) on stream \(end.channel)", body)
  }

  private func received(_ channel: ChannelID, _ number: Int) {
    guard let (id, end) = streamEnd(channel) else { return }
    if end.isFirstUse() { handle(.stream(.used(id))) }
    end.pair.receive(number)
  }

  private func finish(_ id: StreamID, _ end: VirtualStreamEnd, _ count: Int) {
    guard end.finishes() else { return }
    let channel = end.channel
    pass(end, "finish") { daemon in
      guard let (id, end) = daemon.streamEnd(channel), end.remoteFinishes() else { return }
      end.pair.endOfFile(count)
      daemon.closeIfDone(id, end)
    }
    closeIfDone(id, end)
  }

  private func closeIfDone(_ id: StreamID, _ end: VirtualStreamEnd) {
    guard end.isDone, streams[id] === end else { return }
    streams[id] = nil
    handle(.stream(.closed(id)))
  }

  private func begin(_ id: StreamID) {
    guard let end = streams[id] else { return }
    if end.isOpen { world.problem("a stream begins twice") }
    end.isOpen = true
    let channel = end.channel
    if !end.isAsker {
      pass(end, "the head") { daemon in
        if let (id, _) = daemon.streamEnd(channel) { daemon.handle(.stream(.answered(id, nil))) }
      }
    }
    let waiting = end.waiting
    end.waiting = []
    for body in waiting { body() }
    closeIfDone(id, end)
  }

  private func refuse(_ channel: ChannelID, _ error: SegueError) {
    guard let asker = askedStreams.removeValue(forKey: channel) else { return world.problem("no channel to refuse") }
    world.link(device, asker)?.send(from: device, "stream \(channel) is refused") { daemon in
      if let (id, _) = daemon.streamEnd(channel) { daemon.handle(.stream(.answered(id, error))) }
    }
  }

  private func end(_ id: StreamID, _ error: SegueError) {
    if let local = localStreams.removeValue(forKey: id) {
      local.asker.lose()
      return local.owner.lose()
    }
    guard let end = streams.removeValue(forKey: id) else { return world.problem("a stream ends twice") }
    end.pair.lose()
    let channel = end.channel
    pass(end, "reset") { daemon in
      if let (id, _) = daemon.streamEnd(channel) { daemon.handle(.stream(.failed(id, error))) }
    }
  }
}
