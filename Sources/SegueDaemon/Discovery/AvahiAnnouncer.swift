import SegueBus
import SegueCore
import SegueEngine

/// Has Avahi announce services: on each interface by an entry group of its own, so that nothing is taken back on one
/// interface for a change on another, and no group has more entries than Avahi allows. Loop thread.
final class AvahiAnnouncer {
  private struct Place: Hashable {
    let kind: ServiceKind
    let interface: Int32
  }

  private let server: AvahiServer
  private let tell: (DiscoveryEvent) -> Void
  private var groups: [Place: AvahiEntryGroup] = [:]
  private var subscription: SignalSubscription?

  init(_ server: AvahiServer, tell: @escaping (DiscoveryEvent) -> Void) {
    self.server = server
    self.tell = tell
    subscription = server.listen("StateChanged", of: .entryGroup) { [weak self] path, values in
      self?.groups.values.first { $0.path?.string == path }?.changed(values)
    }
  }

  /// Announces exactly these services. A service that is announced already stays as it is.
  func announce(_ announcements: [Announcement]) {
    var wanted: [Place: AvahiEntryGroup.Service] = [:]
    for announcement in announcements {
      for interface in announcement.interfaces {
        wanted[Place(kind: announcement.kind, interface: interface.index)] = AvahiEntryGroup.Service(
          kind: announcement.kind, name: announcement.name, host: announcement.host, text: announcement.text,
          interface: interface)
      }
    }
    for (place, group) in groups where group.service != wanted[place] {
      group.free()
      groups[place] = nil
    }
    for (place, service) in wanted where groups[place] == nil {
      groups[place] = AvahiEntryGroup(service, at: server) { [weak self] end in self?.ended(place.kind, end) }
    }
  }

  func close() {
    subscription?.cancel()
    announce([])
  }

  /// One name is announced everywhere or nowhere.
  private func ended(_ kind: ServiceKind, _ end: AvahiEntryGroup.End) {
    for (place, group) in groups where place.kind == kind {
      group.free()
      groups[place] = nil
    }
    switch end {
    case .collided: tell(.collided(kind))
    case .failed(let error): tell(.notAnnounced(kind, error))
    }
  }
}
