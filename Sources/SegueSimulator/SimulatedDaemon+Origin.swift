import SegueCore

// The origin's side of a simulated daemon: what is on offer, who fetches it, and what was continued.

extension SimulatedDaemon {
  // MARK: Offering

  func setCurrent(_ offer: Offer, _ door: SimulatedDoor) {
    for (id, local) in offers where local.door === door && local.isCurrent && id != offer.id { withdraw(id) }
    offers[offer.id] = Local(door: door, offer: offer, isCurrent: true)
    announce(.changed)
    let due = returning.filter { $0.activity == offer.id }
    returning.removeAll { $0.activity == offer.id }
    for fetch in due { fetchAsked(fetch.key, fetch.activity) }
  }

  func resign(_ id: Identifier, _ door: SimulatedDoor) {
    guard offers[id]?.door === door, offers[id]?.isCurrent == true else { return }
    withdraw(id)
    announce(.changed)
  }

  private func withdraw(_ id: Identifier) {
    offers[id]?.isCurrent = false
    world.after(Limits.graceTime, on: device, "\(device.name): the grace of \(id.low) is over") { [self] in
      if offers[id]?.isCurrent == false { offers[id] = nil }
    }
  }

  func left(_ door: SimulatedDoor) {
    let gone = offers.filter { $0.value.door === door }.keys.sorted { $0.low < $1.low }
    guard !gone.isEmpty else { return }
    for id in gone {
      offers[id] = nil
      save(.failed(SegueError(.handoffFailed, "the application ended"), activity: id))
    }
    announce(.changed)
  }

  private func announce(_ event: Announcer.Event) {
    for effect in announcer.handle(event, now: world.now) {
      switch effect {
      case .announce: for index in online.sorted() { sendOffers(to: world.devices[index]) }
      case .wake(let time):
        world.after(world.now.time(until: time), on: device, "\(device.name): announces") { [self] in
          if isRunning { announce(.timer) }
        }
      }
    }
  }

  func sendOffers(to peer: SimulatedDevice) {
    let current = offers.values.filter { $0.isCurrent }.map { $0.offer }.sorted { $0.id.low > $1.id.low }
    let from = device
    world.link(from, peer)?.send(from: from, "\(current.count) offers of \(from.name)") { $0.take(current, of: from) }
  }

  // MARK: Fetches

  func fetchAsked(_ key: FetchKey, _ activity: Identifier) {
    asked[key] = activity
    guard offers[activity] != nil else {
      if world.now < startTime + Limits.returnTime {
        returning.append((key, activity))
        world.after(
          world.now.time(until: startTime + Limits.returnTime), on: device, "\(device.name): waited for applications"
        ) {
          [self] in
          guard isRunning, returning.contains(where: { $0.key == key }) else { return }
          returning.removeAll { $0.key == key }
          fetchAsked(key, activity)
        }
        return
      }
      return answer([key], .failure(SegueError(.handoffFailed, "not on offer")))
    }
    save(.fetch(key, activity: activity))
  }

  func abandon(_ key: FetchKey) {
    guard asked.removeValue(forKey: key) != nil else { return }
    returning.removeAll { $0.key == key }
    save(.abandoned(key))
  }

  func save(_ event: SaveRequests<FetchKey, Identifier>.Event) {
    for effect in saves.handle(event) {
      switch effect {
      case .askApplication(let activity): ask(activity)
      case .stopTimer(let activity):
        if let timer = saveTimers.removeValue(forKey: activity) { world.cancel(timer) }
      case .answer(let keys, let snapshot): answer(keys, .success(snapshot))
      case .fail(let keys, let error): answer(keys, .failure(error))
      }
    }
  }

  private func ask(_ activity: Identifier) {
    guard let door = offers[activity]?.door else {
      return save(.failed(SegueError(.handoffFailed, "the application ended"), activity: activity))
    }
    if saveTimers[activity] != nil { world.problem("S9: two saves of one activity at once") }
    saveTimers[activity] = world.after(Limits.saveTime, on: device, "\(device.name): the save is over") { [self] in
      saveTimers[activity] = nil
      save(.expired(activity: activity))
    }
    door.toProcess("save \(activity.low)") { door.process.save(activity, door) }
  }

  private func answer(_ keys: [FetchKey], _ answer: Result<Snapshot, SegueError>) {
    for key in keys {
      if asked.removeValue(forKey: key) == nil { world.problem("S9: a fetch was answered twice, or in vain") }
      world.link(device, world.devices[key.device])?.send(from: device, "the answer to fetch \(key.number)") {
        $0.fetchAnswered(key.number, answer)
      }
    }
  }

  // MARK: Telling, and being told

  func tellUntold(_ peer: SimulatedDevice) {
    guard isOnline(peer) else { return }
    let from = device
    for untold in device.journal.untold where untold.device == peer.id {
      world.link(from, peer)?.send(from: from, "continued \(untold.notice.continuation.low)") {
        $0.received(untold.notice, from: from)
      }
    }
  }

  func received(_ notice: ContinuationJournal.Notice, from peer: SimulatedDevice) {
    _ = device.journal.receive(notice, from: peer.id)
    let (name, id) = (device.name, device.id)
    world.link(device, peer)?.send(from: device, "\(name) knows of \(notice.continuation.low)") {
      _ = $0.device.journal.acknowledged(notice.continuation, by: id)
    }
    for door in doors where door.process.appID == notice.appID { tellUnheard(door) }
  }

  func registered(_ door: SimulatedDoor) {
    doors.append(door)
    tellUnheard(door)
  }

  private func tellUnheard(_ door: SimulatedDoor) {
    for unheard in device.journal.unheard where unheard.notice.appID == door.process.appID {
      door.toProcess("was continued") { [self] in
        let isKnown = door.process.wasContinued(unheard.notice)
        door.toDaemon(isKnown ? "it has heard" : "it has no such activity") {
          let isAlone = self.doors.allSatisfy { $0 === door || $0.process.appID != door.process.appID }
          guard isKnown || isAlone && self.world.now >= self.startTime + Limits.returnTime else { return }
          self.device.journal.hear(unheard.notice.continuation, from: unheard.device)
        }
      }
    }
  }
}
