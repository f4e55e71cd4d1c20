import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// Carries out what a pairing wants: connections, and what is written down of the other device.
final class PairingService {
  private let link: LinkService
  private let devices: DeviceService
  private let tell: (Event) -> Void

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

  func perform(_ effect: PairingEffect) {
    switch effect {
    case .open(let isOpen): link.openPairing(isOpen)
    case .dial(let addresses): link.dialPairing(addresses)
    case .send(let connection, let bytes): link.sendPairing(bytes, on: connection)
    case .close(let connection): link.closePairing(connection)
    case .remember(let peer):
      do throws(SegueError) {
        try devices.add(peer)
        tell(.pairing(.remembered(nil)))
      } catch {
        tell(.pairing(.remembered(error)))
      }
    case .forget(let device): devices.forget(device)
    }
  }
}
