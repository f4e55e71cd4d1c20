import SegueCore

// The events that come over the links to other devices.

extension Engine {
  mutating func link(_ event: Event.LinkEvent) {
    switch event {
    case .up(let device, let name):
      // All that the device said on an earlier link is void.
      lose(device)
      devices.up(device, name)
      if devices.isPaired(device) {
        sendOffers(to: device)
        tellAddresses(device)
        addresses.seen(device, name: name, &deadlines, &turn)
      }
      for continuation in continuations.inOrder where continuation.source == .device(device) {
        turn.post(.continuation(continuation.id, .linkUp))
      }
      goOnWithFiles(of: device)
      turn.post(.tellDevice(device))
    case .down(let device):
      devices.down(device)
      discovery.lost(at: turn.now)
      lose(device)
      if devices.isPaired(device) { addresses.seen(device, &deadlines, &turn) }
    case .reached(let device, let address):
      if devices.isPaired(device) { addresses.reached(device, address, &deadlines, &turn) }
    case .reachedBy(let device):
      if devices.isPaired(device) { addresses.reachedUs(device, &deadlines, &turn) }
    case .unreached(let device, let isSilent):
      devices.unreached(device)
      if isSilent, devices.isPaired(device) { addresses.unreached(device, &turn) }
    case .unpairedThere(let device, let unpaired):
      if devices.isPaired(device) { addresses.unpaired(device, unpaired, &turn) }
    case .message(let device, let message):
      if devices.isPaired(device) { self.message(message, from: device) }
    case .fetchAsked(let channel, let device, let request): fetchAsked(channel, device, request)
    case .streamAsked(let channel, let device, let request): streamAsked(channel, device, request)
    case .fileAsked(let channel, let device, let request): fileAsked(channel, device, request)
    case .channelClosed(let channel):
      if let asker = origin.forgetAsker(channel) { journal.refuse(asker.device, asker.request.continuation) }
      copies.abandoned(.channel(channel))
      turn.post(.save(.abandoned(.channel(channel))))
    case .fetchAnswered(let id, let answer): fetchAnswered(id, answer)
    case .fetchLost(let id, let withLink): fetchLost(id, withLink: withLink)
    }
  }

  private mutating func lose(_ device: DeviceID) {
    let now = turn.now
    copies.lost(device, &deadlines)
    outgoing(.lost(device))
    if remote.lose(device, now: now) || copies.ofOthers.contains(where: { $0.device == device }) {
      turn.hasChangedOffers = true
    }
    turn.hasChangedDevices = true
  }

  private mutating func message(_ message: LinkMessage, from device: DeviceID) {
    switch message {
    case .offers(let sequence, let offers, let takes):
      if remote.replace(device, sequence: sequence, offers: offers, now: turn.now) { turn.hasChangedOffers = true }
      remoteOffersExpire()
      keep(remote.offers(of: device), of: device)
      devices.heard(device)
      if outgoing.kinds(of: device) != takes { turn.hasChangedDevices = true }
      outgoing(.heard(device, takes: takes))
    case .continued(let notice):
      if journal.receive(notice, from: device) {
        recording.caused(by: device, &deadlines, at: turn.now)
        turn.post(.tellApplication(ContinuationJournal.Pending(device: device, notice: notice)))
      } else if !unsolicitedNotices.isAnswered(device, at: turn.now) {
        return turn.log(
          .notice, "\(devices.quotedName(of: device)) tells without end that it continued what it did not fetch",
          cause: "continued \(device)")
      }
      turn.emit(.send(.acknowledged(continuation: notice.continuation), to: device))
    case .acknowledged(let continuation):
      _ = journal.acknowledged(continuation, by: device)
    case .addresses(let list): addresses.heard(list, from: device, &deadlines, &turn)
    case .introduce(let introduction): introduced(introduction, by: device)
    case .propose(let proposal): proposed(proposal, by: device)
    case .proposed(let answer): outgoing(.answered(answer, by: device))
    }
  }

  // MARK: Addresses

  /// The addresses at which this device can be dialled have changed. Linked devices are sent the new ones. In another
  /// network the others are dialled at once.
  mutating func ownAddresses(_ list: [LinkAddress], machine: Set<IPAddress>) {
    if addresses.replace(list) {
      for device in devices.onlineInOrder { tellAddresses(device) }
    }
    if addresses.moves(to: machine) { turn.emit(.redial) }
  }

  private mutating func tellAddresses(_ device: DeviceID) {
    let told = addresses.told
    if !told.isEmpty { turn.emit(.send(.addresses(told), to: device)) }
  }

  /// Removes expired offers of other devices. An offer expires when its origin said so, even if the origin cannot be
  /// reached to withdraw it (semantics C7).
  mutating func remoteOffersExpire() {
    let (isChanged, next) = remote.expire(now: turn.now)
    deadlines.set(.offersThere, at: next.map { $0 + 1 })
    if isChanged { turn.hasChangedOffers = true }
  }

  // MARK: Pairing

  /// Replaces the list of paired devices. No activity of a device that was removed can be continued any more, and no
  /// continuation waits for it (semantics V14).
  mutating func replacePaired(_ paired: [Event.PairedName]) {
    turn.hasChangedDevices = true
    let former = devices.names
    let gone = devices.replace(paired)
    // Offers are shown with the devices' names.
    if devices.names != former { turn.hasChangedOffers = true }
    forgetIntroductions(gone: gone)
    for device in gone {
      remote.forget(device)
      journal.forget(device)
      recording.forget(device, &deadlines)
      unsolicitedNotices.forget(device)
      forgetProposals(of: device)
      addresses.forget(device, &deadlines)
      forgetKept(of: device)
      endStreams(to: device)
      turn.hasChangedOffers = true
      for continuation in continuations.inOrder where continuation.source.device == device {
        turn.post(.continuation(continuation.id, .originGone(Self.removed)))
      }
    }
    endFiles(of: gone)
  }

  static let removed = SegueError(
    .connectionUnavailable, "The other device is no longer paired.", advice: "Pair it again.")
}
