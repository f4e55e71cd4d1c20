import SegueCore

/// What discovery is told of this machine's networks and of those who announce services there.
public enum DiscoveryEvent: Sendable {
  /// The interfaces on which this device listens. Told at the start, and again after a change.
  case interfaces([NetworkInterface])
  /// Whether there is somebody who announces and finds services; the error says why not, and what to do about it. What
  /// was announced and found is forgotten each time.
  case available(SegueError?)
  /// Another machine has announced the name too.
  case collided(ServiceKind)
  /// The service could not be announced, for another reason.
  case notAnnounced(ServiceKind, SegueError)
  case found(FoundService)
  case gone(FoundService.Key)
  /// The answer to `DiscoveryEffect.probe`: the paired device that was there, if it was one.
  case probed(UInt64, DeviceID?)
}

/// What discovery wants done.
public enum DiscoveryEffect: Equatable, Sendable {
  /// Announce these services, at most one of each kind, in place of all others. Until there is a collision or an error,
  /// all is well.
  case announce([Announcement])
  /// Look for these services there, and for no others.
  case browse(Set<ServiceSearch>)
  /// Dial there, and prove that this device is paired. Answered by `probed`.
  case probe(UInt64, LinkAddress, nonce: [UInt8])
}

/// Services of one kind on one interface, for which is looked.
public struct ServiceSearch: Hashable, Sendable {
  public var kind: ServiceKind
  public var interface: Int32

  public init(_ kind: ServiceKind, on interface: Int32) {
    self.kind = kind
    self.interface = interface
  }
}

/// Whether devices find each other, as user interfaces show it.
public enum DiscoveryState: Equatable, Sendable {
  /// The user does not want it.
  case off
  /// It cannot be, for this reason.
  case unavailable(SegueError)
  /// There is no network where this device would be announced.
  case noNetwork
  case on
}
