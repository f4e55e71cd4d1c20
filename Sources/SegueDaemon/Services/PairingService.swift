import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// Carries out what a pairing wants: connections, and what is written down of the other device. Tells when who shows it
/// has left the session bus.
final class PairingService {
  /// Nil before the link begins.
  private var port: PairingPort?
  private let devices: DeviceService
  private let tell: (Event) -> Void
  /// The one that has opened or renewed a window last, by the session bus.
  private var caller: (holder: PairingHolder, watch: NameWatch)?

  init(link: LinkService, devices: DeviceService, tell: @escaping (Event) -> Void) {
    self.devices = devices
    self.tell = tell
    link.usePairing = { [unowned self] port in
      self.port = port
      port.take = { tell(.pairing(.link($0))) }
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
    case .open(let isOpen): port?.open(isOpen)
    case .dial(let addresses): port?.dial(addresses)
    case .send(let connection, let bytes): port?.send(bytes, on: connection)
    case .close(let connection): port?.close(connection)
    case .remember(let peer):
      devices.add(peer) { [tell] error, wasPaired in tell(.pairing(.remembered(error, wasPaired: wasPaired))) }
    case .forget(let device): devices.forget(device)
    }
  }
}
