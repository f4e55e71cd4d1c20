import SegueCore

// Finding devices, those that are paired and those that pair.

extension Engine {
  /// Whether devices find each other.
  public var discoveryState: DiscoveryState { discovery.state }

  /// What follows from a turn for discovery.
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
