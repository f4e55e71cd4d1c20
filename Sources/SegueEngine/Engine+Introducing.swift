import SegueCore

// Introducing a third device: a paired device introduces it, and the user here decides whether it is to be paired.

extension Engine {
  /// The devices that were introduced here and await the user's decision, each with the introducer's name.
  public var pendingIntroductions: [(introduction: PendingIntroduction, introducerName: String)] {
    introductions.pending.map { ($0, devices.name(of: $0.introducer)) }
  }

  private var shownIntroductions: [Notices.Introduced] {
    introductions.pending.map {
      Notices.Introduced(
        device: $0.device, name: $0.name, introducer: $0.introducer, introducerName: devices.name(of: $0.introducer))
    }
  }

  mutating func introducing(_ request: RequestID, _ call: Event.IntroductionCall) {
    do throws(SegueError) {
      switch call {
      case .introduce(let device, let other): try introduce(device, to: other)
      case .accept(let device):
        guard acceptIntroduction(of: device, for: request) else { throw Self.notIntroduced }
        return
      case .decline(let device):
        guard declineIntroduction(of: device) else { throw Self.notIntroduced }
      }
      turn.emit(.reply(request, .done))
    } catch {
      turn.emit(.reply(request, .failed(error)))
    }
  }

  /// Returns whether the device was introduced. `introducer`: the device that must have introduced it; nil: any.
  /// `request`: the call to reply to; nil: the user accepted the device in its notification.
  @discardableResult mutating func acceptIntroduction(
    of device: DeviceID, by introducer: DeviceID? = nil, for request: RequestID? = nil
  ) -> Bool {
    guard let found = introductions.introduction(of: device, by: introducer) else { return false }
    turn.emit(.pin(request, found))
    return true
  }

  @discardableResult mutating func declineIntroduction(of device: DeviceID) -> Bool {
    guard introductions.remove(device) else { return false }
    introductionsChanged()
    return true
  }

  /// Introduces each device to the other one. Only linked devices can be notified.
  private mutating func introduce(_ device: DeviceID, to other: DeviceID?) throws(SegueError) {
    for one in [device] + (other.map { [$0] } ?? []) {
      guard devices.isPaired(one) else {
        throw SegueError(.notFound, "There is no such device.", advice: "List them with: segue devices")
      }
      guard devices.isOnline(one) else {
        throw SegueError(
          .connectionUnavailable, "\(devices.quotedName(of: one)) is not online.",
          advice: "Introduce devices while both are: see segue devices.")
      }
    }
    guard other != device else {
      throw SegueError(.invalidArgument, "A device is not introduced to itself.", advice: "Name another one.")
    }
    let others = other.map { [$0] } ?? devices.onlineInOrder.filter { $0 != device }
    guard !others.isEmpty else {
      throw SegueError(
        .notFound, "There is no other device online to which it could be introduced.",
        advice: "See which are there with: segue devices")
    }
    for other in others {
      turn.emit(.send(.introduce(introduction(of: device)), to: other))
      turn.emit(.send(.introduce(introduction(of: other)), to: device))
    }
  }

  /// The introduction of a device: its name as the user here knows it, and the addresses that mean the same to another
  /// device.
  private func introduction(of device: DeviceID) -> Introduction {
    let contact = addresses.known[device] ?? Contact()
    let known = (contact.reached.map { [$0] } ?? []) + contact.told.filter { $0 != contact.reached }
    let meant = known.filter { $0.ip?.isUnicast ?? false }
    return Introduction(
      device: device, name: devices.plainName(of: device), addresses: Array(meant.prefix(Limits.deviceAddresses)))
  }

  /// A paired device has introduced another one. The introduction of a device that is paired already changes nothing.
  mutating func introduced(_ introduction: Introduction, by introducer: DeviceID) {
    guard introduction.device != devices.own, !devices.isPaired(introduction.device) else { return }
    var introduction = introduction
    introduction.addresses = Addresses.taken(introduction.addresses, own: addresses.own)
    if introduction.name.isEmpty { introduction.name = introduction.device.short }
    let isNews = introductions.heard(introduction, from: introducer, at: turn.now)
    deadlines.set(.introductions, at: introductions.next)
    if isNews { introductionsChanged() }
  }

  /// The list of paired devices has changed. `gone`: the devices that are no longer paired.
  mutating func forgetIntroductions(gone: [DeviceID]) {
    var isChanged = false
    for device in gone where introductions.forget(device) { isChanged = true }
    for device in introductions.pending.map({ $0.device }) where devices.isPaired(device) {
      if introductions.remove(device) { isChanged = true }
    }
    if isChanged { introductionsChanged() }
  }

  mutating func introductionsExpire() {
    if introductions.expire(at: turn.now) { introductionsChanged() }
    deadlines.set(.introductions, at: introductions.next)
  }

  private mutating func introductionsChanged() {
    deadlines.set(.introductions, at: introductions.next)
    signal(.introductionsChanged, .changed)
    turn.post(.notice(.introductions(shownIntroductions)))
  }

  private static let notIntroduced = SegueError(
    .notFound, "No device with this id was introduced, or it is paired already.",
    advice: "See who was with: segue introductions")
}
