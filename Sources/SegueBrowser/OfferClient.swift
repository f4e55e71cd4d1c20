import SegueBus
import SegueControl
import SegueCore

/// The daemon's control interface, at its private door: this device's name, the offers of other devices, the user's
/// choices among them, and the links that applications open. It reconnects by itself when the daemon is back.
final class OfferClient {
  /// Called with this device's name, or with nil and the reason while the daemon is not there.
  var deviceChanged: ((String?, SegueError?) -> Void)?
  var offersChanged: (([OfferRow]) -> Void)?
  var devicesChanged: (([DeviceRow]) -> Void)?
  /// The hosts whose links applications open, and where the user wants that.
  var linksChanged: (([String]) -> Void)?

  private let loop: EventLoop
  private var bus: Connection?
  private var door: Connection?
  private var attempts: UInt64 = 0
  private var isFollowing = false
  /// The list is being asked for; it has changed since.
  private var isAsking = false
  private var isStale = false

  private static let absent = "The Segue daemon is not running, and could not be started."

  init(_ loop: EventLoop) { self.loop = loop }

  func open() {
    do throws(SegueError) {
      let bus = try Connection.openBus(on: loop) { _ in }
      self.bus = bus
      DoorConnector { [weak self] result in self?.entered(result) }.begin(through: bus)
    } catch {
      lost(error)
    }
  }

  func close() {
    deviceChanged = nil
    bus?.close()
    door?.setDisconnected(nil)
    door?.close()
  }

  private func entered(_ result: Result<Connection, DoorConnector.Failure>) {
    // Closing the bus here would end the call in which this runs.
    loop.later { [bus] in bus?.close() }
    bus = nil
    switch result {
    case .failure(let failure):
      // The bus's error names mean nothing to a person who reads them in a browser.
      let isOfBus = failure.errorName.map { !$0.begins(with: SegueError.Code.busPrefix) } ?? false
      lost(isOfBus ? SegueError(.connectionUnavailable, Self.absent) : failure.error)
    case .success(let door):
      self.door = door
      attempts = 0
      door.setDisconnected { [weak self] in
        self?.lost(SegueError(.connectionUnavailable, "The Segue daemon has ended."))
      }
      door.addSignalHandler(path: SegueAddress.controlPath, interface: SegueAddress.controlInterface) {
        [weak self] message in
        switch ControlSignal(message) {
        case .offers: self?.ask()
        case .devices: self?.askDevices()
        case .links: self?.askStatus()
        default: break
        }
      }
      askStatus()
      isAsking = false
      ask()
      askDevices()
    }
  }

  private func lost(_ error: SegueError) {
    door?.close()
    door = nil
    deviceChanged?(nil, error)
    offersChanged?([])
    devicesChanged?([])
    linksChanged?([])
    let time = min(Limits.reconnectTime, Limits.reconnectTimeFirst &<< min(attempts, 10))
    attempts &+= 1
    loop.timer(after: time) { [weak self] in self?.open() }
  }

  private func askStatus() {
    call(.getStatus) { [weak self] result in
      guard let self, let status = (try? result.get())?.first.flatMap({ DaemonStatus.of(busValue: $0) }) else { return }
      deviceChanged?(status.deviceName, nil)
      guard status.opensLinks else {
        linksChanged?([])
        return
      }
      call(.listLinks) { [weak self] result in
        guard let rows = (try? result.get())?.first.flatMap({ [WebLinkRow].of(busValue: $0) }) else { return }
        self?.linksChanged?(rows.filter(\.isOpening).map(\.domain))
      }
    }
  }

  // MARK: Links

  /// `done` gets whether an application opens the link.
  func openLink(_ url: WebURL, _ done: @escaping (Bool) -> Void) {
    let options = WebLinkOptions(activationToken: nil, isInBrowser: true)
    call(.openLink, [.string(url.string), options.busValue], timeout: Limits.browserPlaceTime) { result in
      done((try? result.get())?.first?.asString.map { !$0.isEmpty } ?? false)
    }
  }

  // MARK: Offers

  /// Whether what is on offer is told of.
  func follow(_ isFollowing: Bool) {
    self.isFollowing = isFollowing
    if door == nil, isFollowing { offersChanged?([]) }
    ask()
    askDevices()
  }

  private func ask() {
    guard isFollowing, door != nil else { return }
    isStale = isAsking
    guard !isAsking else { return }
    isAsking = true
    call(.listOffers) { [weak self] result in
      guard let self else { return }
      isAsking = false
      if isFollowing, let rows = (try? result.get())?.first.flatMap({ [OfferRow].of(busValue: $0) }) {
        offersChanged?(rows)
      }
      if isStale { ask() }
    }
  }

  private func askDevices() {
    guard isFollowing, door != nil else { return }
    call(.listDevices) { [weak self] result in
      guard let self, isFollowing else { return }
      if let rows = (try? result.get())?.first.flatMap({ [DeviceRow].of(busValue: $0) }) { devicesChanged?(rows) }
    }
  }

  /// Sends an activity of this browser to the device. `done` gets why it failed.
  func send(_ activity: Identifier, to device: String, _ done: @escaping (SegueError?) -> Void) {
    call(.send, [.string(device), SendOptions(offer: activity.hex).busValue]) { result in
      if case .failure(let error) = result { done(error) } else { done(nil) }
    }
  }

  /// The user's choice. `done` gets why it failed.
  func choose(activity: String, of device: String, app: String?, _ done: @escaping (SegueError?) -> Void) {
    guard Identifier(hex: activity) != nil else {
      return done(SegueError(.invalidArgument, "This is not an activity's id."))
    }
    let options = ContinueOptions(activationToken: nil, app: app, device: device)
    call(.continue, [.string(activity), options.busValue], timeout: Limits.continueTime) { result in
      if case .failure(let error) = result { done(error) } else { done(nil) }
    }
  }

  private func call(
    _ method: ControlMethod, _ values: [BusValue] = [], timeout: UInt64 = Limits.callTime,
    _ done: @escaping (Result<[BusValue], SegueError>) -> Void
  ) {
    guard let door, let member = MemberName(method.rawValue) else {
      return done(.failure(SegueError(.connectionUnavailable, "The Segue daemon is not there.")))
    }
    let message = Message.call(
      destination: nil, path: SegueAddress.controlPath, interface: SegueAddress.controlInterface, member: member)
    do throws(SegueError) { try message.append(values) } catch { return done(.failure(error)) }
    door.call(message, timeout: timeout) { result in
      do throws(SegueError) {
        done(.success(try result.get().arguments()))
      } catch {
        done(.failure(error))
      }
    }
  }
}
