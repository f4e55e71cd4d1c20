import SegueBus
import SegueCore

// The session bus: the daemon's objects there.

extension Daemon {
  var bus: Connection? { sessionBus.connection }

  func busEvent(_ event: SessionBusService.Event) {
    switch event {
    case .connected(let bus):
      openNotices()
      export(on: bus)
    case .named:
      log.debug("ready")
      resumeContinuations()
    case .lost: closeNotices()
    case .ended(let error): stop(error)
    }
  }

  private func export(on bus: Connection) {
    bus.export(daemonObject(), at: SegueAddress.daemonPath)
    let control = controlObject(withTitles: false) { [self] invocation, body in
      sessionBus.identify(invocation) { caller in
        guard caller.mayControl else {
          return invocation.fail(SegueError(.accessDenied, "The control interface is not for sandboxed applications."))
        }
        body()
      }
    }
    controls.removeAll { !$0.isExported }
    controls.append(control)
    bus.export(control, at: SegueAddress.controlPath)
  }

  private func daemonObject() -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.daemonInterface,
        methods: [
          BusMethod("OpenDoor", out: [BusArgument("folder", "h"), BusArgument("token", "s")]) {
            [self] _, _, invocation in
            guard let door else { return invocation.fail(SegueError(.system, "The private door is not there.")) }
            do throws(SegueError) {
              invocation.reply([
                .descriptor(try door.descriptor()),
                .string(tokens.make(now: Instant.now, for: invocation.sender?.string ?? "")),
              ])
            } catch {
              invocation.fail(error)
            }
          }
        ])
    ])
  }
}
