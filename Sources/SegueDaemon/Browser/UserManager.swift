import Glibc
import SegueBus
import SegueCore
import SegueState

/// Programs that the user's systemd starts, as units of their own. Programs that the daemon starts itself live inside
/// the daemon's unit, with its memory limits and its filter of system calls, in which no browser works.
enum UserManager {
  private static let name = BusName(constant: "org.freedesktop.systemd1")

  /// Whether the daemon itself is a unit (systemd.exec(5), "Environment variables").
  static var isOurParent: Bool { environment("INVOCATION_ID") != nil }

  /// Starts `command`, whose first word is a program's path, with `variables` beside the session's. `done` is called
  /// once, in a dispatch: with nil, or with the reason why the program was not started.
  static func start(
    _ command: [String], in folder: String, _ variables: [String], _ bus: Connection,
    _ done: @escaping (SegueError?) -> Void
  ) {
    let call = Message.call(
      destination: name, path: ObjectPath(constant: "/org/freedesktop/systemd1"),
      interface: InterfaceName(constant: "org.freedesktop.systemd1.Manager"),
      member: MemberName(constant: "StartTransientUnit"))
    do throws(SegueError) {
      try call.append([
        .string("app-segue-browser@\(Identifier.random().hex).service"), .string("fail"),
        .array(elementSignature: "(sv)", properties(command, folder, variables)),
        .array(elementSignature: "(sa(sv))", []),
      ])
    } catch {
      return bus.loop.later { done(error) }
    }
    bus.call(call, timeout: Limits.busTime) { result in
      if case .failure(let error) = result { done(error) } else { done(nil) }
    }
  }

  /// The properties as systemd.exec(5) and the manager's interface have them. The environment is the manager's, which
  /// is the session's.
  private static func properties(_ command: [String], _ folder: String, _ variables: [String]) -> [BusValue] {
    let program = BusValue.structure([.string(command.first ?? ""), .strings(command), .bool(false)])
    let properties: [(String, BusValue)] = [
      ("Description", .string("A web page, opened by Segue")),
      ("CollectMode", .string("inactive-or-failed")),
      ("Slice", .string("app.slice")),
      ("WorkingDirectory", .string(folder)),
      ("Environment", .strings(variables)),
      ("ExecStart", .array(elementSignature: "(sasb)", [program])),
    ]
    return properties.map { .structure([.string($0.0), .variant($0.1)]) }
  }

  /// The command with its program's whole path, which systemd wants; nil if there is no such program.
  static func located(_ command: [String], _ path: [String]) -> [String]? {
    guard let program = command.first else { return nil }
    let candidates = program.utf8.contains(UInt8(ascii: "/")) ? [program] : path.map { $0 + "/" + program }
    guard let found = candidates.first(where: { $0.begins(with: "/") && access($0, X_OK) == 0 }) else { return nil }
    return [found] + command.dropFirst()
  }
}
