import ArgumentParser
import SegueBus
import SegueCore
import SegueState

/// The user's choice of bridged programs: what is written down, the files by which desktop and bus know of it, and the
/// process that acts for them.
enum Bridges {
  static func choices() throws(CommandFailure) -> BridgeChoices {
    try CommandFailure.mapping(.failed) { () throws(SegueError) in try files().choices() }
  }

  private static func files() throws(SegueError) -> BridgeFiles {
    try BridgeFiles(bridge: try Installation.current().bridge)
  }

  /// Throws for a name that no program of the table has.
  static func check(_ names: [String]) throws {
    for name in names where BridgedProgram.named(name) == nil {
      let known = BridgedProgram.all.map(\.name).joined(separator: ", ")
      throw ValidationError("\(DisplayText.quoted(name)) is none of the programs that can be bridged: \(known).")
    }
  }

  /// Throws for a program that opens nothing which could be brought.
  static func checkFiles(_ names: [String]) throws {
    for program in names.compactMap({ BridgedProgram.named($0) }) where !program.bringsFiles {
      throw ValidationError("What \(program.title) shows is not given to other devices as a file.")
    }
  }

  static func set(_ names: [String], _ isEnabled: Bool, givesFiles: Bool = false) throws(CommandFailure) {
    var choices = try choices()
    let programs = names.compactMap { BridgedProgram.named($0) }
    try CommandFailure.mapping(.failed) { () throws(SegueError) in
      for program in programs { try choices.set(program, isEnabled, givesFiles: givesFiles) }
      try files().write(for: choices.enabled)
    }
    let told = tell()
    for program in programs {
      try Terminal.print(isEnabled ? "\(program.title) takes part now." : "\(program.title) takes part no more.")
      let missing = program.missing(.current())
      if isEnabled, !program.caution.isEmpty { Terminal.note(program.caution) }
      if isEnabled, !missing.isEmpty { Terminal.note("\(program.title) lacks something here. \(missing)") }
    }
    if !told { Terminal.note("segue-bridge could not be told; it reads the choice when the session next starts.") }
  }

  /// Has the bus read the service files again, and segue-bridge, which it starts where needed, the choice. Blocks within
  /// a bound; false without success.
  private static func tell() -> Bool {
    guard let loop = try? EventLoop(), let bus = try? Connection.openBus(on: loop, ready: { _ in }) else {
      return false
    }
    defer { bus.close() }
    let calls: [Message] = [
      Message.call(
        destination: BusName(constant: "org.freedesktop.DBus"), path: ObjectPath(constant: "/org/freedesktop/DBus"),
        interface: InterfaceName(constant: "org.freedesktop.DBus"), member: MemberName(constant: "ReloadConfig")),
      Message.call(
        destination: BusName(constant: "org.segue.Bridge"), path: ObjectPath(constant: "/org/segue/Bridge"),
        interface: InterfaceName(constant: "org.segue.Bridge"), member: MemberName(constant: "Reload")),
    ]
    for message in calls {
      var result: Result<Message, SegueError>?
      bus.call(message) { result = $0 }
      while result == nil { loop.wait(milliseconds: Int32(truncatingIfNeeded: Limits.callTime)) }
      guard case .success = result else { return false }
    }
    return true
  }
}
