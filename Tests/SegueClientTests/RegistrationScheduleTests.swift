import SegueClient
import SegueCore
import SegueSimulator
import Testing

/// An application, a session bus and a daemon that come and go, at random: when both stay, it becomes registered.
@Suite struct RegistrationScheduleTests {
  private enum Happening {
    case busAnswered(Int)
    case nameAnswered(bus: Int)
    case doorOpened(bus: Int, daemon: Int)
    case timer
    case busGoes, busComes, daemonGoes, daemonComes, otherTakesName, otherLeavesName
    /// From now on all is well.
    case settles
  }

  private final class World {
    var random: SeededGenerator
    var clock = VirtualClock<Happening>()
    private(set) var trace: [String] = []
    private let isTraced: Bool
    var machine = RegistrationMachine()
    private var timer: Int?
    /// Which bus and which daemon there is; zero for none.
    private var bus = 1
    private var daemon = 1
    private var count = 1
    /// Daemons of another version: they refuse.
    private var strangers: Set<Int> = []
    private var nameIsTaken = false
    private var isSettled = false
    private var connectedTo = 0
    private var doorTo = 0
    private var pace: UInt64

    init(seed: UInt64, isTraced: Bool = false) {
      self.isTraced = isTraced
      random = SeededGenerator(seed: seed)
      pace = [10, 300, 20_000][Int(random.below(3))]
    }

    func run() -> Bool {
      var time: Instant = 0
      for _ in 0..<random.below(12) {
        time = time + random.below(pace)
        let faults: [Happening] = [
          .busGoes, .busComes, .daemonGoes, .daemonComes, .otherTakesName, .otherLeavesName,
        ]
        clock.schedule(faults[Int(random.below(6))], at: time)
      }
      clock.schedule(.settles, at: time)
      handle(.start)
      var steps = 0
      while let (_, happening) = clock.next() {
        happen(happening)
        steps += 1
        // A daemon that refuses is not asked again and again.
        if steps > 3_000 { return false }
      }
      return machine.status == .registered && doorTo == daemon && connectedTo == bus
    }

    private func note(_ text: @autoclosure () -> String) {
      if isTraced { trace.append(text()) }
    }

    private func soon(_ happening: Happening) { clock.schedule(happening, at: clock.now + random.below(1_000)) }

    private func happen(_ happening: Happening) {
      note("\(clock.now.milliseconds) \(happening)")
      switch happening {
      case .busAnswered(let of):
        if of == 0 {
          handle(.busFailed(SegueError(.connectionUnavailable, "no bus")))
        } else if of == connectedTo {
          handle(.busConnected)
        }
      case .timer:
        timer = nil
        handle(.timer)
      case .nameAnswered(let of):
        if of == connectedTo { handle(nameIsTaken ? .nameTaken : .nameOwned) }
      case .doorOpened(let through, let to):
        if to == daemon, to != 0, !strangers.contains(to) {
          doorTo = to
          handle(.doorReady)
        } else {
          // A daemon of another version stays one, and an absent one may come: the bus reports both, so no retry is
          // needed.
          let isFinal = strangers.contains(to) || to == 0 && through == connectedTo && daemon == 0
          handle(.doorFailed(SegueError(.system, "no door"), retry: !isFinal))
        }
      case .busGoes:
        guard bus != 0 else { return }
        bus = 0
        guard connectedTo != 0 else { return }
        connectedTo = 0
        handle(.busLost)
      case .busComes:
        if bus == 0 { bus = next() }
      case .daemonGoes:
        guard daemon != 0 else { return }
        daemon = 0
        // The bus tells it before the door does, or after.
        if random.oneIn(2) { tellOwner() }
        if doorTo != 0 {
          doorTo = 0
          handle(.doorLost)
        }
        tellOwner()
      case .daemonComes:
        guard daemon == 0 else { return }
        daemon = next()
        if !isSettled, random.oneIn(3) { strangers.insert(daemon) }
        tellOwner()
      case .settles:
        isSettled = true
        happen(.busComes)
        happen(.otherLeavesName)
        if strangers.contains(daemon) { happen(.daemonGoes) }
        happen(.daemonComes)
      case .otherTakesName:
        if machine.status != .registered { nameIsTaken = true }
      case .otherLeavesName:
        guard nameIsTaken else { return }
        nameIsTaken = false
        if connectedTo != 0 { handle(.nameFree) }
      }
    }

    private func next() -> Int {
      count += 1
      return count
    }

    private func tellOwner() {
      if connectedTo != 0 { handle(.daemonOwner(present: daemon != 0)) }
    }

    private func handle(_ event: RegistrationMachine.Event) {
      let effects = machine.handle(event)
      note("  \(event) → \(effects)")
      for effect in effects {
        switch effect {
        case .connectBus: connect()
        case .requestName:
          soon(.nameAnswered(bus: connectedTo))
          tellOwner()
        case .openDoor: soon(.doorOpened(bus: connectedTo, daemon: daemon))
        case .retry(let time):
          if let timer { clock.cancel(timer) }
          timer = clock.schedule(.timer, at: clock.now + time)
        case .leaveDoor: doorTo = 0
        case .report: break
        }
      }
    }

    private func connect() {
      connectedTo = bus
      soon(.busAnswered(bus))
    }
  }

  @Test func itBecomesReadyWhenBusAndDaemonStay() {
    for seed in 0..<5_000 as Range<UInt64> {
      let world = World(seed: seed)
      guard !world.run() else { continue }
      let again = World(seed: seed, isTraced: true)
      _ = again.run()
      Issue.record("seed \(seed): \(world.machine.status)\n\(again.trace.suffix(60).joined(separator: "\n"))")
      return
    }
  }
}
