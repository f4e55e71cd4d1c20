import SegueCore

// Finding devices: those that are paired, and those that are being paired.

extension Engine {
  /// Whether devices can find each other.
  public var discoveryState: DiscoveryState { discovery.state }

  /// Carries out the consequences of a turn for discovery.
  mutating func settleDiscovery() {
    let devices = devices
    let wish = Discovery.Wish(
      isPaired: !devices.paired.isEmpty,
      isMissing: { device in
        guard let device else { return devices.paired.contains { !devices.isOnline($0) } }
        return devices.isPaired(device) && !devices.isOnline(device)
      },
      pairs: pairing.isLooking)
    pairing.found(discovery.settle(wish, &turn), &turn)
    deadlines.set(.discovery, at: discovery.next(wish, at: turn.now))
  }
}
