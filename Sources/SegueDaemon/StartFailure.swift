import SegueBus
import SegueControl
import SegueCore

/// A daemon that cannot start reports the reason on the session bus to the clients that wait for it. Otherwise they
/// would learn only that a process has ended, or, if it ended well, nothing until the bus's own timeout.
public enum StartFailure {
  /// Answers the calls that have waited for the daemon with the error. The bus delivers them together with the names,
  /// so all are answered once the bus replies to a request that was asked after that; a later call starts the daemon
  /// anew. Blocks for at most `Limits.startFailureTime`. A daemon that runs, or starts meanwhile, keeps its names.
  public static func tell(_ error: SegueError) {
    let answer = SegueError(
      .connectionUnavailable, "The Segue daemon cannot start: \(error.message)", advice: error.advice)
    do throws(SegueError) {
      let loop = try EventLoop()
      defer { loop.close() }
      var isOver = false
      let bus = try Connection.openBus(on: loop) { if $0 != nil { isOver = true } }
      defer { bus.close() }
      bus.export(daemon(answer), at: SegueAddress.daemonPath)
      bus.export(control(answer), at: SegueAddress.controlPath)
      let names = [SegueAddress.daemonName, SegueAddress.controlName]
      var owned = 0
      for name in names {
        bus.requestName(name, for: .yielding) { outcome in
          guard outcome == .owner else { return isOver = true }
          owned += 1
          guard owned == names.count else { return }
          // A later call is not for this process any more.
          for name in names { bus.releaseName(name) }
          bus.afterWhatWasSent { isOver = true }
        }
      }
      let end = Instant.now + Limits.startFailureTime
      while !isOver, bus.isOpen, Instant.now < end {
        loop.wait(milliseconds: Int32(clamping: Instant.now.time(until: end)))
      }
      bus.flush(milliseconds: Limits.farewellTime)
    } catch {}
  }

  private static func daemon(_ error: SegueError) -> BusObject {
    BusObject([
      BusInterface(SegueAddress.daemonInterface, methods: [DaemonObject.openDoor { $0.fail(error) }])
    ])
  }

  private static func control(_ error: SegueError) -> BusObject {
    let methods = ControlMethod.allCases.map { method in
      BusMethod(method.rawValue, in: method.input, out: method.output) { _, invocation in invocation.fail(error) }
    }
    return BusObject([BusInterface(SegueAddress.controlInterface, methods: methods)])
  }
}
