import SegueBus
import SegueCore

/// A page that the desktop's portal opens (org.freedesktop.portal.OpenURI): it knows the user's choice better than the
/// files do, and starts the browser outside of the daemon's unit.
final class PortalRequest {
  enum Outcome {
    case opened
    /// The user was asked for a program, and did not want any.
    case cancelled
    /// There is no portal, or it could not.
    case failed
  }

  private static let name = BusName(constant: "org.freedesktop.portal.Desktop")
  private static let path = ObjectPath(constant: "/org/freedesktop/portal/desktop")

  private var done: ((Outcome) -> Void)?
  private var subscription: SignalSubscription?
  private var timer: LoopTimer?
  /// Our request's object; nil before the portal has told.
  private var handle: String?
  /// Answers that came before that, by object.
  private var early: [String: UInt32] = [:]

  /// `done` is called once, in a dispatch. `time`: how long the user may choose a program.
  static func open(
    _ page: WebURL, _ bus: Connection, time: UInt64 = Limits.portalTime, _ done: @escaping (Outcome) -> Void
  ) {
    let request = PortalRequest()
    request.done = done
    let call = Message.call(
      destination: name, path: path, interface: InterfaceName(constant: "org.freedesktop.portal.OpenURI"),
      member: MemberName(constant: "OpenURI"))
    do throws(SegueError) {
      try call.append([.string(""), .string(page.string), .dictionary([:])])
    } catch {
      return bus.loop.later { request.finish(.failed) }
    }
    request.subscription = bus.addSignalHandler(
      sender: name, interface: InterfaceName(constant: "org.freedesktop.portal.Request"),
      member: MemberName(constant: "Response")
    ) { message in
      guard let path = message.path, let answer = (try? message.arguments())?.first?.asUInt32 else { return }
      request.answered(path, answer)
    }
    bus.call(call, timeout: Limits.busTime) { result in
      guard case .success(let reply) = result, let path = (try? reply.arguments())?.first?.asObjectPath else {
        return request.finish(.failed)
      }
      request.handle = path.string
      if let answer = request.early[path.string] { return request.answered(path.string, answer) }
      // It may ask the user for a program.
      request.timer = bus.loop.timer(after: time) { request.finish(.cancelled) }
    }
  }

  private func answered(_ path: String, _ answer: UInt32) {
    guard let handle else {
      if early.count < Limits.pendingCalls { early[path] = answer }
      return
    }
    guard path == handle else { return }
    switch answer {
    case 0: finish(.opened)
    case 1: finish(.cancelled)
    default: finish(.failed)
    }
  }

  private func finish(_ outcome: Outcome) {
    let body = done
    done = nil
    timer?.cancel()
    subscription?.cancel()
    subscription = nil
    body?(outcome)
  }
}
