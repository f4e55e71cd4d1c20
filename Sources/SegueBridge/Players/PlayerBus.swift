import SegueBus
import SegueCore
import SegueState

/// The players on the session bus, for all programs that are bridged: each is read once when it comes, and from then on it
/// says itself what changes.
final class PlayerBus {
  private static let namespace = BusName(constant: "org.mpris.MediaPlayer2")
  private static let path = ObjectPath(constant: "/org/mpris/MediaPlayer2")
  private static let interface = InterfaceName(constant: "org.mpris.MediaPlayer2.Player")

  let bus: SessionBus
  private var desk: OpenPlayers
  private var followed: TextMap<[SignalSubscription]> = [:]
  private var inside: [NameWatch] = []
  private var names: SignalSubscription?
  private var bridges: TextMap<MediaBridge> = [:]

  init(_ bus: SessionBus, _ programs: [BridgedProgram]) {
    self.bus = bus
    desk = OpenPlayers(programs)
    for program in programs { bridges[program.name] = MediaBridge(program, self) }
    for program in programs { follow(inside: program) }
    names = bus.follow(namesBelow: Self.namespace) { [weak self] name, owner in
      guard let self, desk.program(of: name) != nil else { return }
      handle(.named(name, owner: owner?.string))
    }
  }

  func bridge(of program: BridgedProgram) -> MediaBridge? { bridges[program.name] }

  /// Ends the watches, for a bus that goes on.
  func end() {
    names?.cancel()
    for watch in inside { watch.cancel() }
    for subscription in followed.values.flatMap({ $0 }) { subscription.cancel() }
    bridges = [:]
  }

  private func follow(inside program: BridgedProgram) {
    var processes: TextMap<UInt32> = [:]
    for id in program.inside {
      guard let name = BusName(id + ".Segue") else { continue }
      inside.append(
        bus.follow(processOf: name) { [weak self] process in
          processes[id] = process
          self?.handle(.inside(program: program.name, Array(processes.values)))
        })
    }
  }

  private func handle(_ event: OpenPlayers.Event) {
    for effect in desk.handle(event) {
      switch effect {
      case .follow(let owner): follow(owner)
      case .leave(let owner):
        for subscription in followed.removeValue(forKey: owner) ?? [] { subscription.cancel() }
        for bridge in bridges.values { bridge.left(owner) }
      case .announce(let program, let change): bridges[program]?.changed?(change)
      }
    }
  }

  private func follow(_ owner: String) {
    guard let name = BusName(owner) else { return }
    followed[owner] = [
      bus.follow(name, Self.path, SessionBus.properties, MemberName(constant: "PropertiesChanged")) {
        [weak self] message in
        guard let values = try? message.arguments(), values.count == 3, values[0].asString == Self.interface.string
        else { return }
        self?.changed(owner, values[1].asDictionary ?? BusDictionary(), isWhole: values[2].asStrings?.isEmpty != false)
      },
      bus.follow(name, Self.path, Self.interface, MemberName(constant: "Seeked")) { [weak self] _ in
        guard let self else { return }
        handle(.moved(owner: owner))
        for bridge in bridges.values { bridge.stirred(owner) }
      },
    ]
    bus.process(of: name) { [weak self] process in self?.handle(.process(owner: owner, process)) }
    greet(owner, attempts: Limits.bridgeGreetings)
  }

  /// Reads a player that has come. A request that comes while VLC begins waits there until the next message.
  private func greet(_ owner: String, attempts: Int) {
    read(owner) { [weak self] properties in
      guard let self, desk.properties(of: owner) != nil else { return }
      if properties == nil, attempts > 1 { return greet(owner, attempts: attempts - 1) }
      handle(properties.map { .read(owner: owner, $0) } ?? .silent(owner: owner))
      for bridge in bridges.values { bridge.came(owner) }
    }
  }

  /// `isWhole`: it says all values that have changed, and not only which.
  private func changed(_ owner: String, _ values: BusDictionary, isWhole: Bool) {
    if isWhole, var properties = desk.properties(of: owner) {
      properties.merge(values)
      handle(.read(owner: owner, properties))
    } else {
      read(owner) { [weak self] in if let properties = $0 { self?.handle(.read(owner: owner, properties)) } }
    }
    for bridge in bridges.values { bridge.stirred(owner) }
  }

  // MARK: For the bridges

  func read(_ owner: String, _ done: @escaping (PlayerProperties?) -> Void) {
    guard let name = BusName(owner) else { return done(nil) }
    bus.properties(of: name, Self.path, Self.interface) { done($0.map { PlayerProperties($0) }) }
  }

  func call(_ owner: String, _ member: StaticString, _ values: [BusValue] = []) {
    guard let name = BusName(owner) else { return }
    bus.call(name, Self.path, Self.interface, MemberName(constant: member), values)
  }

  func setRate(_ owner: String, _ rate: Double) {
    guard let name = BusName(owner) else { return }
    bus.call(
      name, Self.path, SessionBus.properties, MemberName(constant: "Set"),
      [.string(Self.interface.string), .string("Rate"), .variant(.double(rate))])
  }

  func properties(of owner: String) -> PlayerProperties? { desk.properties(of: owner) }
  func player(of program: BridgedProgram) -> String? { desk.player(of: program)?.owner }
  func announced(by program: BridgedProgram) -> (owner: String, address: OpenAddress)? {
    desk.announced(by: program)
  }
  func isPlayer(_ owner: String, of program: BridgedProgram) -> Bool {
    desk.properties(of: owner) != nil && desk.program(ofOwner: owner) == program
  }
}
