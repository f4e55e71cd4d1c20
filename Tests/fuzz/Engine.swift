// The engine, by what happens to it: an input is a sequence of events of every kind, likely and not, of the user, of
// applications, of the disk, of time, of two paired devices and one that is not paired, and of devices that pair, each
// of which may be hostile. Each event is a byte, and what it needs. In the end everybody falls silent and time passes,
// until the engine waits for nothing.

import SegueCore
import SegueEngine

func fuzzEngine(_ input: [UInt8]) {
  var bytes = Bytes(input)
  let world = EngineWorld(&bytes)
  while !bytes.isEmpty { world.event(&bytes) }
  world.end()
}

extension EngineWorld {
  fileprivate func event(_ bytes: inout Bytes) {
    switch bytes.below(half == nil ? 21 : 42) {
    case 0: pass(bytes.one(of: [0, 1, 250, 1_000, 5_000, 30_000, 4_000_000]))
    case 1: wake()
    case 2: seconds = bytes.number()
    case 3: handle(.loaded(copies(&bytes)))
    case 4: start(&bytes)
    case 5: install(bytes.byte())
    case 6: pair(bytes.byte())
    case 7: handle(.link(.up(bytes.one(of: devices), name: bytes.one(of: texts))))
    case 8:
      let device = bytes.one(of: devices)
      handle(.link(bytes.bool() ? .down(device) : .unreached(device, isSilent: bytes.bool())))
    case 9, 10: message(&bytes)
    case 11: fetched(&bytes)
    case 12: asked(&bytes)
    case 13, 14, 15: door(&bytes)
    case 16: control(&bytes)
    case 17: store(&bytes)
    case 18: outcome(&bytes)
    case 19: restart(&bytes)
    case 20: if bytes.bool() { stream(&bytes) } else { file(&bytes) }
    default: if half == .web { browse(&bytes) } else { goOnPairing(&bytes) }
    }
  }

  // MARK: Other devices

  private func message(_ bytes: inout Bytes) {
    let device = bytes.one(of: devices)
    switch bytes.below(6) {
    case 5:
      guard bytes.bool() else {
        let answer = ProposalAnswer(
          to: bytes.any(of: proposals) ?? bytes.one(of: ids), refusal: bytes.bool() ? .limitExceeded : nil)
        return handle(.link(.message(device, .proposed(answer))))
      }
      let content = bytes.bool() ? Proposal.Content.text(bytes.one(of: texts)) : .activity(bytes.one(of: ids))
      handle(.link(.message(device, .propose(Proposal(id: bytes.one(of: ids), content)))))
    case 4:
      let introduction = Introduction(device: bytes.one(of: devices), name: bytes.one(of: texts), addresses: [])
      handle(.link(.message(device, .introduce(introduction))))
    case 0:
      let offers = (0..<bytes.below(5)).map { _ in offer(&bytes) }
      let takes = bytes.bool() ? Proposal.Kind.allCases : []
      handle(.link(.message(device, .offers(sequence: bytes.number(), offers, takes: takes))))
    case 1:
      let notice = ContinuedNotice(
        continuation: bytes.one(of: ids), activity: bytes.one(of: ids), appID: bytes.one(of: appIDs),
        inBrowser: bytes.bool())
      handle(.link(.message(device, .continued(notice))))
    case 2:
      let told = bytes.any(of: untold.sorted()) ?? bytes.one(of: ids)
      handle(.link(.message(device, .acknowledged(continuation: told))))
    default:
      // A message as it comes over the wire.
      if let message = try? LinkMessage.decode(bytes.bytes()) { handle(.link(.message(device, message))) }
    }
  }

  private func offer(_ bytes: inout Bytes) -> Offer {
    let flags = bytes.byte()
    var offer = Offer(
      id: bytes.one(of: ids), revision: bytes.number(), type: bytes.one(of: types), appID: bytes.one(of: appIDs),
      isChanged: flags & 1 != 0, isSnapshot: flags & 2 != 0, mayBeKept: flags & 4 != 0)
    if flags & 8 != 0 { offer.title = bytes.one(of: texts) }
    if flags & 16 != 0 { offer.webHost = "example.org" }
    if flags & 32 != 0 { offer.timeLeft = bytes.number() }
    if flags & 64 != 0 { offer.continuedFrom = ActivityReference(id: bytes.one(of: ids), revision: bytes.number()) }
    if flags & 128 != 0 {
      (offer.tier, offer.team, offer.file) = (.system, "team", OfferFile(folder: [], isGiven: flags & 1 != 0))
    }
    return offer
  }

  private func snapshot(_ bytes: inout Bytes, of wanted: Identifier?) -> Snapshot {
    let flags = bytes.byte()
    var snapshot = Snapshot(
      id: flags & 1 == 0 ? wanted ?? ids[0] : bytes.one(of: ids), revision: bytes.number(),
      type: flags & 2 == 0 ? types[0] : bytes.one(of: types), userInfo: [0xA0])
    if flags & 4 != 0 { snapshot.webpageURL = bytes.bool() ? "https://example.org/" : bytes.text() }
    if flags & 8 != 0 { snapshot.title = bytes.one(of: texts) }
    if flags & 16 != 0 { (snapshot.isStored, snapshot.age) = (true, bytes.number()) }
    if flags & 32 != 0 { snapshot.saveTime = bytes.number() }
    if flags & 64 != 0 { snapshot.persistentIdentifier = bytes.one(of: texts) }
    if flags & 128 != 0 { snapshot.files = [ContainerFile(url: "file:///a", container: "c", path: "a")] }
    return snapshot
  }

  private func error(_ bytes: inout Bytes) -> SegueError {
    SegueError(bytes.one(of: SegueError.Code.all), bytes.one(of: texts), advice: bytes.one(of: texts))
  }

  private func fetched(_ bytes: inout Bytes) {
    let id = bytes.any(of: fetches.keys.sorted()) ?? FetchID(bytes.byte())
    let wanted = fetches[id]?.activity
    fetches[id] = nil
    switch bytes.below(4) {
    case 0: handle(.link(.fetchAnswered(id, .failure(error(&bytes)))))
    case 1: handle(.link(.fetchLost(id, withLink: bytes.bool())))
    default: handle(.link(.fetchAnswered(id, .snapshot(snapshot(&bytes, of: wanted)))))
    }
  }

  private func asked(_ bytes: inout Bytes) {
    guard bytes.bool() else {
      guard let channel = bytes.any(of: channels.sorted { $0.value < $1.value }) else { return }
      channels.remove(channel)
      return handle(.link(.channelClosed(channel)))
    }
    // The link bounds how many channels a device has open.
    guard channels.count < 8 else { return }
    channelCount += 1
    let channel = ChannelID(value: channelCount)
    channels.insert(channel)
    let request = FetchRequest(
      continuation: bytes.one(of: ids), activity: bytes.one(of: ids), appID: bytes.one(of: appIDs),
      version: bytes.number(), isForKeeping: bytes.bool())
    handle(.link(.fetchAsked(channel, bytes.one(of: devices), request)))
  }

  private func stream(_ bytes: inout Bytes) {
    let session = SessionID(bytes.below(4))
    switch bytes.below(3) {
    case 0:
      guard sessions.contains(session) else { return }
      let continuation = bytes.any(of: journal.running.map { $0.id }) ?? bytes.one(of: ids)
      handle(.door(session, .openStream(continuation: continuation, request(.stream, of: session))))
    case 1:
      // Likely a continuation that the device was given.
      let device = bytes.one(of: devices)
      let given = bytes.any(of: journal.given.filter { $0.device == device })
      guard let channel = streams.opened(ChannelID(value: channelCount + 1)) else { return }
      channelCount += 1
      let request = StreamRequest(
        continuation: given?.continuation ?? bytes.one(of: ids), activity: given?.activity ?? bytes.one(of: ids))
      handle(.link(.streamAsked(channel, device, request)))
    default:
      let error = bytes.bool() ? error(&bytes) : nil
      guard let event = streams.event(&bytes, session, error) else { return }
      handle(event)
    }
  }

  private func file(_ bytes: inout Bytes) {
    let session = SessionID(bytes.below(4))
    switch bytes.below(5) {
    case 0, 1:
      guard sessions.contains(session) else { return }
      let continuation = bytes.any(of: journal.running.map { $0.id }) ?? bytes.one(of: ids)
      handle(
        .door(
          session,
          .bringFile(
            continuation: continuation, url: "file:///a", transfer: UInt64(bytes.byte()),
            request(.file, of: session))))
    case 2: handle(.door(session, .cancelFile(transfer: UInt64(bytes.byte()))))
    case 3:
      // Likely a continuation that the device was given.
      let device = bytes.one(of: devices)
      let given = bytes.any(of: journal.given.filter { $0.device == device })
      guard let channel = files.opened(ChannelID(value: channelCount + 1)) else { return }
      channelCount += 1
      let request = FileRequest(
        continuation: given?.continuation ?? bytes.one(of: ids), activity: given?.activity ?? bytes.one(of: ids),
        url: "file:///a")
      handle(.link(.fileAsked(channel, device, request)))
    default:
      let error = bytes.bool() ? error(&bytes) : nil
      guard let event = files.event(&bytes, session, error) else { return }
      handle(event)
    }
  }

  // MARK: Applications

  private func door(_ bytes: inout Bytes) {
    let session = SessionID(bytes.below(4))
    let ticket = bytes.any(of: tickets) ?? ids[0]
    let activity = bytes.one(of: ids)
    switch bytes.below(15) {
    case 14: handle(.door(session, .runsPlugin(bytes.bool() ? PluginID("org.example.place") : nil)))
    case 0:
      guard !sessions.contains(session) else { return }
      sessions.insert(session)
      handle(.door(session, .registered(bytes.one(of: appIDs), bytes.bool() ? .system : .user)))
    case 1:
      handle(.door(session, .left))
      left(session)
    case 2: setCurrent(activity, session, &bytes)
    case 3: handle(.door(session, .resign(activity)))
    case 4: handle(.door(session, .setExpiry(activity, timeLeft: bytes.bool() ? bytes.number() : nil)))
    case 5: handle(.door(session, .invalidate(activity)))
    case 6:
      let identifiers = bytes.bool() ? TextSet(of: [bytes.one(of: texts)]) : nil
      if sessions.contains(session) { handle(.door(session, .deleteSaved(identifiers, request(.other)))) }
    case 7:
      let follows = bytes.bool()
      if !follows { toldOffers.remove(session) }
      handle(.door(session, follows ? .followOffers : .heardOffers))
    case 8:
      let told = bytes.any(of: telling.filter { $0.session == session }.map { $0.continuation }.sorted())
      let continuation = told ?? bytes.one(of: ids)
      telling.remove(Telling(session: session, continuation: continuation))
      let failure = bytes.bool() ? error(&bytes) : nil
      handle(.door(session, .heardContinued(continuation: continuation, failure)))
    case 9:
      guard sessions.contains(session) else { return }
      let device = bytes.one(of: devices).description
      let token = bytes.bool() ? "token" : nil
      handle(.door(session, .choose(device: device, activity, activationToken: token, request(.begun, of: session))))
    case 10:
      guard sessions.contains(session) else { return }
      handle(.door(session, .begin(ticket: ticket, showsFailure: bytes.bool(), request(.begin, of: session))))
    case 11:
      guard sessions.contains(session) else { return }
      handle(.door(session, .claim(ticket: ticket, request(.claim, of: session))))
    case 12:
      let flags = bytes.byte()
      handle(
        .door(
          session,
          flags & 1 == 0
            ? .finish(ticket: ticket, handled: flags & 2 == 0) : .announced(ticket: ticket, shown: flags & 2 == 0)))
    default: saved(session, &bytes)
    }
  }

  private func setCurrent(_ id: Identifier, _ session: SessionID, _ bytes: inout Bytes) {
    guard sessions.contains(session) else { return }
    let flags = bytes.byte()
    var activity = DoorActivity(
      id: id, revision: bytes.number(), type: bytes.one(of: types), title: bytes.one(of: texts), webHost: nil,
      isEligible: flags & 1 == 0, isEligibleForSearch: flags & 2 != 0, allowsSnapshot: flags & 4 != 0,
      isEligibleForRestoration: flags & 64 != 0, isChanged: flags & 8 != 0)
    if flags & 128 != 0 {
      (activity.file, activity.allowsFiles) = (FileURL(path: flags & 2 == 0 ? "/a" : "/b"), flags & 4 != 0)
    }
    if flags & 16 != 0 { activity.timeLeft = bytes.number() }
    if flags & 32 != 0 { activity.continuedFrom = ActivityReference(id: bytes.one(of: ids), revision: bytes.number()) }
    handle(.door(session, .setCurrent(activity, request(.other, of: session))))
  }

  private func saved(_ session: SessionID, _ bytes: inout Bytes) {
    let id = bytes.any(of: saves.keys.sorted()) ?? SaveID(bytes.byte())
    let question = saves.removeValue(forKey: id)
    let from = bytes.bool() ? session : question?.session ?? session
    if from != question?.session, let question { saves[id] = question }
    let result: Result<Snapshot, SegueError> =
      bytes.below(4) == 0 ? .failure(error(&bytes)) : .success(snapshot(&bytes, of: question?.activity))
    handle(.door(from, .saved(id, result)))
  }

  // MARK: The user

  private func control(_ bytes: inout Bytes) {
    switch bytes.below(12) {
    case 0: handle(.control(request(.other), .awaitDials))
    case 10: send(&bytes)
    case 8:
      let other = bytes.bool() ? bytes.one(of: devices) : nil
      handle(.control(request(.other), .introduction(.introduce(bytes.one(of: devices), to: other))))
    case 9:
      let device = bytes.one(of: devices)
      handle(.control(request(.other), .introduction(bytes.bool() ? .accept(device) : .decline(device))))
    case 1: handle(.notice(bytes.bool() ? .serverAppeared : .serverGone))
    case 2:
      guard let key = bytes.any(of: notices) else { return }
      switch bytes.below(3) {
      case 0:
        var action = Notice.Action.continue
        if case .introduction = key { action = bytes.bool() ? .accept : .decline }
        if case .text = key { action = .read }
        handle(.notice(.invoked(key, action, activationToken: bytes.bool() ? "token" : nil)))
      case 1:
        notices.removeAll { $0 == key }
        handle(.notice(.closed(key)))
      default: handle(.notice(.notShown(key)))
      }
    default:
      let application = bytes.bool() ? bytes.one(of: appIDs) : nil
      let id = bytes.one(of: ids)
      let device = bytes.any(of: devices + [nil])
      handle(.control(request(.ended), .choose(id, of: device ?? nil, application, activationToken: nil)))
    }
  }

  private func send(_ bytes: inout Bytes) {
    let device = bytes.one(of: devices)
    switch bytes.below(5) {
    case 0: handle(.control(request(.other), .send(device, nil)))
    case 1: handle(.control(request(.other), .send(device, .text(bytes.one(of: texts)))))
    case 2: handle(.control(request(.other), .send(device, .activity(bytes.one(of: ids)))))
    case 3: handle(.linkNotSent(SegueError(.handoffFailed, bytes.one(of: texts))))
    default: handle(.sendPicked(device, bytes.one(of: ids)))
    }
  }

  // MARK: The disk, the bus, the browser

  private func copies(_ bytes: inout Bytes) -> [StoredCopy] {
    (0..<bytes.below(4)).map { _ in
      let kind: StoredCopy.Kind = bytes.bool() ? .search : .snapshot
      let offer = offer(&bytes)
      let copy = StoredCopy(
        kind, of: offer, from: bytes.bool() ? bytes.one(of: devices) : nil, persistentIdentifier: "identifier")
      return copy.stored(with: snapshot(&bytes, of: offer.id), at: seconds, life: bytes.number())
    }
  }

  private func store(_ bytes: inout Bytes) {
    guard let id = bytes.any(of: stores.keys.sorted()), let request = stores.removeValue(forKey: id) else {
      return handle(.stored(StoreID(bytes.byte()), .success(.removed([]))))
    }
    guard bytes.below(4) != 0 else { return handle(.stored(id, .failure(error(&bytes)))) }
    handle(.stored(id, .success(answer(request, &bytes))))
  }

  private func answer(_ request: StoreRequest, _ bytes: inout Bytes) -> StoreAnswer {
    switch request {
    case .put(let copy, let snapshot):
      let gone = bytes.bool() ? [] : copies(&bytes).map { $0.key }
      return .put(copy.stored(with: snapshot, at: seconds, life: bytes.number()), gone: gone)
    case .snapshot(let key): return .snapshot(bytes.bool() ? snapshot(&bytes, of: key.activity) : nil)
    case .remove(let keys): return .removed(keys)
    case .setLife: return .lives(bytes.bool() ? [] : copies(&bytes))
    case .expire: return .expired(bytes.bool() ? [] : copies(&bytes).map { $0.key })
    }
  }

  private func outcome(_ bytes: inout Bytes) {
    switch bytes.below(3) {
    case 0:
      guard let ticket = bytes.any(of: tickets) else { return }
      handle(.launchFailed(ticket: ticket, error(&bytes), ownerGone: bytes.bool()))
    case 1:
      guard let id = bytes.any(of: localizing.sorted()) else { return }
      localizing.remove(id)
      let wanted = journal.running.first { $0.id == id }?.offer.id
      handle(
        .localized(
          continuation: id,
          bytes.bool() ? .success(snapshot(&bytes, of: wanted)) : .failure(error(&bytes))))
    default:
      guard let id = bytes.any(of: browsing.sorted()) else { return }
      browsing.remove(id)
      handle(.browserOpened(continuation: id, bytes.bool() ? error(&bytes) : nil))
    }
  }
}
