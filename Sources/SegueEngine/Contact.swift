import SegueCore

/// What is known of how this device and another one reach each other.
public struct Contact: Equatable, Sendable {
  /// Where the other one said that it can be dialled, the last time.
  public var told: [LinkAddress] = []
  /// The name that it gave itself, the last time.
  public var name: String?
  /// Where this device dialled it, the last time that a link came of that.
  public var reached: LinkAddress?
  /// When it dialled this device and a link came of that, the last time. In seconds since 1970, as `seen`.
  public var reachedUs: UInt64?
  /// When there was a link last.
  public var seen: UInt64?

  public init() {}

  /// What is worth being written down at once; the times alone can wait.
  var isReachedUs: Bool { reachedUs != nil }
}

/// One sentence about a firewall that may stand between this device and another one, and what opens it.
public enum FirewallHint {
  /// Nil where there is no sign of one. `dialled`: where the other device is dialled. `own`: where this one can be
  /// dialled. `isUnreached`: the other one is not linked, and was dialled at each of its addresses in vain.
  public static func sentence(
    _ contact: Contact, dialled: [LinkAddress], own: [LinkAddress], isUnreached: Bool
  ) -> String? {
    guard contact.reached == nil, isUnreached, !dialled.isEmpty else { return nil }
    if contact.reachedUs != nil {
      let port = dialled.contains { $0.port == LinkAddress.defaultPort } ? LinkAddress.defaultPort : dialled[0].port
      return "It has reached this device, but was never reached from here. If it is on, a firewall there may be in the "
        + "way: on that device, run: \(command(port))"
    }
    guard own.contains(where: { here in dialled.contains { isNear(here, $0) } }) else { return nil }
    return "It seems to be on the same network, but neither device has ever reached the other. If it is on, a firewall "
      + "may be in the way: on one of the two, run: "
      + command(own.first?.port ?? LinkAddress.defaultPort)
  }

  /// Whether both seem to be on one network: the usual sizes of one are taken for granted.
  private static func isNear(_ one: LinkAddress, _ other: LinkAddress) -> Bool {
    guard let ip = one.ip, let otherIP = other.ip, !ip.isLoopback else { return false }
    return IPNetwork(ip, prefix: ip.bytes.count == 4 ? 24 : 64).contains(otherIP)
  }

  /// What lets others in, with each of the two firewalls that have a profile of Segue.
  private static func command(_ port: UInt16) -> String {
    let (ufw, firewalld) =
      port == LinkAddress.defaultPort ? ("segue", "--add-service=segue") : ("\(port)/tcp", "--add-port=\(port)/tcp")
    return "sudo ufw allow \(ufw), or: sudo firewall-cmd \(firewalld) --permanent && sudo firewall-cmd --reload"
  }
}
