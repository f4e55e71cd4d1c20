import Glibc
import SegueCore

/// segue-shell: a terminal session that moves between devices (docs/shell.md).
public enum ShellProgram {
  private static let usage = """
    usage: segue-shell [--share] [--name NAME] [--] [PROGRAM ARGUMENT...]
           segue-shell attach [SESSION | DEVICE[:SESSION]]
           segue-shell list
           segue-shell share [SESSION]
           segue-shell unshare [SESSION]
           segue-shell name [SESSION] NAME
           segue-shell detach SESSION [DEVICE]

    Runs PROGRAM, or your shell, in a session that outlives this terminal.
      --share   your paired devices can continue it
      --name    what you call it
      attach    looks at a session of this device or of a paired one, in this
                terminal; several terminals may
      list      shows the sessions of this device, and what others have on offer
      share     lets your paired devices look at a session from now on; unshare
                ends that, and puts out those who look
      name      gives a session a name
      detach    puts out who looks at a session, from one device or from all
    In a session SESSION may be left out, and is that one. There, after Enter:
    ~. detaches, ~? shows the other keys.

    """

  /// Returns the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    do throws(SegueError) {
      return try perform(arguments)
    } catch {
      say("segue-shell: \(error.message)\n" + (error.advice.isEmpty ? "" : "  \(error.advice)\n"), to: 2)
      return 1
    }
  }

  private static func say(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }

  /// Ends with the status for a mistake in the command line.
  private static func refuse() -> Never {
    say(usage, to: 2)
    exit(64)
  }

  private static func change(_ session: String?, _ change: ShellCommands.Change) throws(SegueError) -> Int32 {
    say(try ShellCommands.change(session, change), to: 1)
    return 0
  }

  private static func perform(_ given: [String]) throws(SegueError) -> Int32 {
    let rest = Array(given.dropFirst())
    switch (given.first, rest.count) {
    case ("--help", _), ("-h", _):
      say(usage, to: 1)
      return 0
    case ("--version", _):
      say("segue-shell \(Version.string)\n", to: 1)
      return 0
    case ("list", 0):
      say(try ShellCommands.list(), to: 1)
      return 0
    case ("attach", 0...1): return try ShellCommands.attach(rest.first)
    case ("share", 0...1): return try change(rest.first, .share)
    case ("unshare", 0...1): return try change(rest.first, .unshare)
    case ("name", 1): return try change(nil, .name(rest[0]))
    case ("name", 2): return try change(rest[0], .name(rest[1]))
    case ("detach", 1...2): return try change(rest[0], .detach(rest.count > 1 ? rest[1] : nil))
    case ("list", _), ("attach", _), ("share", _), ("unshare", _), ("name", _), ("detach", _): refuse()
    default: return try runProcess(given)
    }
  }

  /// How it starts itself, and is started by the bus and by `segue`; or a session.
  private static func runProcess(_ given: [String]) throws(SegueError) -> Int32 {
    switch given.first {
    // Apart from the terminal.
    case "--session":
      guard given.count >= 7, given[5] == "--", let rows = Int(given[1]), let columns = Int(given[2]) else { refuse() }
      return SessionProcess.run(
        Array(given[6...]), label: given[4], size: (rows, columns), isShared: given[3] == "shared", handed: 3)
    // By the session bus, and a shared session: what has to do with other devices.
    case "--serve" where given.count == 1: return try ShellService.run()
    // In a terminal, for a session of another device.
    case "--continued" where given.count == 2: return try ShellCommands.viewContinued(given[1])
    // By `segue continue`: whether a window can be opened, and what else.
    case "--opens-windows" where given.count == 1: return ShellCommands.opensWindows ? 0 : 1
    case "--continue-here" where given.count == 3: return try ShellCommands.continueHere(given[1], device: given[2])
    default: return try start(given)
    }
  }

  private static func start(_ given: [String]) throws(SegueError) -> Int32 {
    var arguments = given
    var isShared = false
    var label = ""
    while let option = arguments.first, option.begins(with: "-") {
      arguments.removeFirst()
      if option == "--" { break }
      switch option {
      case "--share": isShared = true
      case "--name":
        guard !arguments.isEmpty else { refuse() }
        label = arguments.removeFirst()
      default: refuse()
      }
    }
    return try ShellCommands.start(arguments, label: label, isShared: isShared)
  }
}
