import SegueCore

/// How this device and another one reach each other, as far as is known.
public struct Contact: Equatable, Sendable {
  /// The addresses that the other device last sent.
  public var told: [LinkAddress] = []
  /// The name that the other device last gave itself.
  public var name: String?
  /// The address at which this device last dialled the other one with success.
  public var reached: LinkAddress?
  /// When the other device last dialled this one with success, in seconds since 1970, as `seen`.
  public var reachedUs: UInt64?
  /// When there was last a link.
  public var seen: UInt64?

  public init() {}

  /// Whether the other device has ever dialled this one; a change of this is written down at once, while times alone
  /// can wait.
  var isReachedUs: Bool { reachedUs != nil }
}

/// One sentence about a firewall that may stand between this device and another one, and what opens it.
public enum FirewallHint {
  /// Nil if there is no sign of a firewall. `dialled`: the addresses at which the other device is dialled. `own`: those
  /// at which this one can be dialled. `isUnreached`: the other device is not linked, and was dialled at each of its
  /// addresses in vain.
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

  /// Whether both addresses seem to be on one network, which is assumed to have one of the usual sizes.
  private static func isNear(_ one: LinkAddress, _ other: LinkAddress) -> Bool {
    guard let ip = one.ip, let otherIP = other.ip, !ip.isLoopback else { return false }
    return IPNetwork(ip, prefix: ip.bytes.count == 4 ? 24 : 64).contains(otherIP)
  }

  /// The commands that open the port, for each of the two firewalls that have a profile of Segue.
  private static func command(_ port: UInt16) -> String {
    let (ufw, firewalld) =
      port == LinkAddress.defaultPort ? ("segue", "--add-service=segue") : ("\(port)/tcp", "--add-port=\(port)/tcp")
    return "sudo ufw allow \(ufw), or: sudo firewall-cmd \(firewalld) --permanent && sudo firewall-cmd --reload"
  }
}
