import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// Carries out what a pairing wants: connections, and what is written down of the other device. Tells when who shows it
/// has left the session bus.
final class PairingService {
  private let link: LinkService
  private let devices: DeviceService
  private let tell: (Event) -> Void
  /// The one that has opened or renewed a window last, by the session bus.
  private var caller: (holder: PairingHolder, watch: NameWatch)?

  init(link: LinkService, devices: DeviceService, tell: @escaping (Event) -> Void) {
    self.link = link
    self.devices = devices
    self.tell = tell
    link.reportPairing = { event in
      switch event {
      case .connected(let connection, let isDialler, let key, let other):
        tell(.pairing(.connected(connection, isDialler ? .dialler : .other, key: key, otherKey: other)))
      case .received(let connection, let bytes): tell(.pairing(.received(connection, bytes)))
      case .closed(let connection): tell(.pairing(.closed(connection)))
      case .notReached(let error): tell(.pairing(.notReached(error)))
      }
    }
  }

  /// The caller on the session bus, which is watched from now on, in place of any other.
  func holder(_ invocation: Invocation) -> PairingHolder? {
    guard let name = invocation.sender else { return nil }
    let holder = PairingHolder.bus(name.string)
    if caller?.holder == holder { return holder }
    caller?.watch.cancel()
    let watch = invocation.connection.watchOwner(of: name) { [weak self] owner in
      if owner == nil, self?.caller?.holder == holder { self?.callerLeft() }
    }
    caller = (holder, watch)
    return holder
  }

  /// The caller, or the bus with it, is gone.
  func callerLeft() {
    guard let (holder, watch) = caller else { return }
    caller = nil
    watch.cancel()
    tell(.pairing(.left(holder)))
  }

  func perform(_ effect: PairingEffect) {
    switch effect {
    case .open(let isOpen): link.openPairing(isOpen)
    case .dial(let addresses): link.dialPairing(addresses)
    case .send(let connection, let bytes): link.sendPairing(bytes, on: connection)
    case .close(let connection): link.closePairing(connection)
    case .remember(let peer):
      devices.add(peer) { [tell] error, wasPaired in tell(.pairing(.remembered(error, wasPaired: wasPaired))) }
    case .forget(let device): devices.forget(device)
    }
  }
}
