import SegueCore

/// Events of this machine's networks, and of the service that announces and finds devices there.
public enum DiscoveryEvent: Sendable {
  /// The interfaces on which this device listens. Reported at the start, and again after a change.
  case interfaces([NetworkInterface])
  /// Whether a service is available that announces and finds devices; the error says why not, and what to do about it.
  /// Each time, everything that was announced and found before is forgotten.
  case available(SegueError?)
  /// Another machine has announced the name too.
  case collided(ServiceKind)
  /// The service could not be announced, for a reason other than a collision.
  case notAnnounced(ServiceKind, SegueError)
  case found(FoundService)
  case gone(FoundService.Key)
  /// The answer to `DiscoveryEffect.probe`: the paired device that was there, if it was one.
  case probed(UInt64, DeviceID?)
}

/// The requests of discovery to the service and to the link.
public enum DiscoveryEffect: Equatable, Sendable {
  /// Announce these services, at most one of each kind, in place of all others. Success is not reported, only a
  /// collision or an error.
  case announce([Announcement])
  /// Search for these services on their interfaces, and for no others.
  case browse(Set<ServiceSearch>)
  /// Dial this address, and prove that this device is paired. Answered by `probed`.
  case probe(UInt64, LinkAddress, nonce: [UInt8])
}

/// A search for services of one kind on one interface.
public struct ServiceSearch: Hashable, Sendable {
  public var kind: ServiceKind
  public var interface: Int32

  public init(_ kind: ServiceKind, on interface: Int32) {
    self.kind = kind
    self.interface = interface
  }
}

/// Whether devices can find each other, as user interfaces show it.
public enum DiscoveryState: Equatable, Sendable {
  /// The user has switched discovery off.
  case off
  /// Discovery cannot run, for this reason.
  case unavailable(SegueError)
  /// There is no network where this device would be announced.
  case noNetwork
  case on
}
