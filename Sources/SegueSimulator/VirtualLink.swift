import SegueCore
import SegueEngine

/// The network between two devices, and the link over it. Messages that are on their way when the link ends are lost.
final class VirtualLink {
  let ends: [VirtualDevice]
  private unowned let world: Simulation
  private var random: SeededGenerator
  private var hasNetwork = true
  private var generation = 0
  private var isUp = false
  /// When the last message arrives at each end, and the last report about the link.
  private var arrival: [Instant] = [0, 0]

  init(_ world: Simulation, _ one: VirtualDevice, _ other: VirtualDevice) {
    self.world = world
    ends = [one, other]
    random = world.generator(3, UInt64(one.index), UInt64(other.index))
  }

  func setNetwork(_ network: Bool) {
    hasNetwork = network
    check()
  }

  /// A daemon has started or ended, or the network or a pairing has changed.
  func check() {
    if isUp { lose() }
    guard hasNetwork, ends.allSatisfy({ $0.daemon != nil && !$0.isAsleep }), ends[0].isPaired(ends[1]),
      ends[1].isPaired(ends[0])
    else { return }
    isUp = true
    generation += 1
    let current = generation
    for end in 0...1 {
      let (daemon, peer) = (ends[end].daemon, ends[1 - end])
      let delay = world.latency(&random) + random.below(Limits.dialTime)
      deliver(at: end, delay: delay, "up") { daemon?.linkUp(peer, current) }
    }
  }

  private func lose() {
    isUp = false
    generation += 1
    let next = generation
    for end in 0...1 {
      let (daemon, peer) = (ends[end].daemon, ends[1 - end])
      // A daemon notices a lost network, or a peer that sleeps, by a ping without a pong; a closed connection at once.
      let isClosed = hasNetwork && !ends.contains { $0.isAsleep }
      let delay = isClosed ? 0 : random.below(Limits.pingTime + Limits.pongTime)
      deliver(at: end, delay: delay, "down") { daemon?.linkDown(peer, before: next) }
    }
  }

  /// Whether the link that a daemon knows is the present one.
  func isCurrent(_ known: Int?) -> Bool { isUp && known == generation }

  private func deliver(at end: Int, delay: UInt64, _ what: String, _ body: @escaping () -> Void) {
    arrival[end] = max(arrival[end], world.now + delay)
    world.after(world.now.time(until: arrival[end]), on: ends[end], "\(ends[end].name): the link is \(what)", body)
  }

  /// Sends a message, which arrives at the other end only over this very link.
  func send(
    from device: VirtualDevice, _ what: @autoclosure () -> String, _ body: @escaping (VirtualDaemon) -> Void
  ) {
    guard isUp else { return }
    let end = ends[0] === device ? 1 : 0
    let sent = generation
    arrival[end] = max(arrival[end], world.now + world.latency(&random))
    let receiver = ends[end]
    world.after(world.now.time(until: arrival[end]), on: receiver, "\(receiver.name): \(what())") { [self] in
      guard sent == generation, let daemon = receiver.daemon, daemon.link(to: ends[1 - end]) == sent else { return }
      body(daemon)
    }
  }
}

/// A fetch on its own channel.
final class VirtualFetch {
  /// Nil: its answer is not awaited.
  let id: FetchID?
  let channel: ChannelID
  let request: FetchRequest
  unowned let device: VirtualDevice
  unowned let origin: VirtualDevice
  /// The generation of the link that carries the fetch.
  let generation: Int

  init(
    _ id: FetchID?, _ channel: ChannelID, _ request: FetchRequest, by device: VirtualDevice, from origin: VirtualDevice,
    _ generation: Int
  ) {
    self.id = id
    self.channel = channel
    self.request = request
    self.device = device
    self.origin = origin
    self.generation = generation
  }
}
