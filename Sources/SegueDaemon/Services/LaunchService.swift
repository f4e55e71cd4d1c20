import SegueBus
import SegueCore
import SegueEngine

/// Sends launch messages, at the door or over the session bus. A launch message asks an application to continue an
/// activity; the bus starts the application if it does not run.
final class LaunchService {
  private let bus: () -> Connection?
  private let door: (SessionID) -> Connection?
  private let time: UInt64
  private let log: Log
  private let tell: (Event) -> Void

  /// `time`: how long an application may take to show its ticket.
  init(
    bus: @escaping () -> Connection?, door: @escaping (SessionID) -> Connection?, time: UInt64, log: Log,
    tell: @escaping (Event) -> Void
  ) {
    self.bus = bus
    self.door = door
    self.time = time
    self.log = log
    self.tell = tell
  }

  /// Sends a launch message; a failure is told as an event. The bus starts no application if `startsIt` is false.
  func launch(_ launch: Effect.Launch) {
    if let taker = launch.taker { return self.launch(launch, taker) }
    func failed(_ error: SegueError, ownerGone: Bool = false) {
      tell(.launchFailed(ticket: launch.ticket, error, ownerGone: ownerGone))
    }
    guard let bus = bus() else {
      return failed(SegueError(.connectionUnavailable, "The session bus is gone."))
    }
    let application = launch.application
    let call = Message.call(
      destination: application.appID.segueName, path: SegueAddress.applicationPath,
      interface: SegueAddress.applicationInterface, member: MemberName(constant: "WillContinue"))
    call.isNoAutoStart = !launch.startsIt
    let options = CallOptions(
      continuation: launch.continuation, resumes: !launch.startsIt, activationToken: launch.activationToken)
    do throws(SegueError) {
      try call.append([.string(launch.ticket.hex), .string(launch.type.string), .dictionary(options.dictionary)])
    } catch {
      return failed(error)
    }
    var pending: PendingReply?
    // The engine's launch timer runs out before this one, which only frees the call if the owner never answers.
    pending = bus.call(call, timeout: time + Limits.busTime) { [log] result in
      let name = pending?.errorName
      pending = nil
      guard case .failure(let error) = result else { return }
      log.notice("\(application.appID.string) was not launched: \(error.message)", cause: "launch")
      failed(
        Self.error(error, name, application), ownerGone: name == "org.freedesktop.DBus.Error.NoReply")
    }
  }

  /// To a process that runs. Where the door is lost before the answer, the process has ended, or is about to.
  private func launch(_ launch: Effect.Launch, _ taker: Effect.Launch.Taker) {
    func failed(_ error: SegueError, ownerGone: Bool) {
      tell(.launchFailed(ticket: launch.ticket, error, ownerGone: ownerGone))
    }
    guard let door = door(taker.session) else {
      return failed(SegueError(.connectionUnavailable, "The application is gone."), ownerGone: true)
    }
    let call = Message.call(
      destination: nil, path: SegueAddress.doorApplicationPath, interface: SegueAddress.doorApplicationInterface,
      member: MemberName(constant: "WillContinue"))
    let options = CallOptions(activationToken: launch.activationToken)
    do throws(SegueError) {
      try call.append([
        .string(launch.ticket.hex), .dictionary(taker.begin.dictionary), .dictionary(options.dictionary),
      ])
    } catch {
      return failed(error, ownerGone: false)
    }
    door.call(call, timeout: time + Limits.busTime) { result in
      if case .failure(let error) = result { failed(error, ownerGone: !door.isOpen) }
    }
  }

  /// The error of a failed launch, with a message for a person.
  private static func error(_ error: SegueError, _ name: String?, _ application: InstalledApplication) -> SegueError {
    let service = application.appID.segueName.string + ".service"
    guard let name, name.begins(with: "org.freedesktop.DBus.Error.") else { return error }
    if name == "org.freedesktop.DBus.Error.ServiceUnknown" || name == "org.freedesktop.DBus.Error.NameHasNoOwner" {
      let reason =
        application.serviceFile == nil
        ? "its service file \(service) is missing, or names something else"
        : "the session bus does not know its service file \(service)"
      return SegueError(
        .launchFailed, "\(application.name) cannot be launched: \(reason).",
        advice: "Install the application again, or start it by hand and continue once more.")
    }
    if name == "org.freedesktop.DBus.Error.NoReply" {
      return SegueError(
        .applicationExited, "\(application.name) ended before it took the activity over.", advice: "Continue again.")
    }
    // The log has the bus's name for the error. This text is for a person who has chosen something on a screen.
    return SegueError(
      .launchFailed, "\(application.name) could not be launched: \(reason(name)).",
      advice: "Start it by hand and continue once more. What happened is in: journalctl --user -u segued")
  }

  private static func reason(_ name: String) -> String {
    switch name.rest(after: "org.freedesktop.DBus.Error.") ?? "" {
    case "Spawn.ChildExited", "Spawn.ChildSignaled": "its program ended before it was there"
    case "Spawn.ExecFailed", "Spawn.ForkFailed", "Spawn.PermissionsInvalid", "Spawn.FileInvalid":
      "its program cannot be started"
    case "TimedOut", "Timeout": "it was not there in time"
    default: "the session bus could not start it"
    }
  }
}
