import Glibc
import SegueCore
import SegueShell

// A terminal session that moves between devices: docs/shell.md.

let usage = """
  usage: segue-shell [--share] [--] [PROGRAM ARGUMENT...]
         segue-shell attach [SESSION]
         segue-shell list

  Runs PROGRAM, or your shell, in a session that outlives this terminal.
    --share   your paired devices can continue it
    attach    looks at a session of this device; several terminals may
    list      shows the sessions of this device
  In a session, after Enter: ~. detaches, ~? shows the other keys.

  """

func say(_ text: String, to descriptor: Int32) {
  let bytes = Array(text.utf8)
  _ = write(descriptor, bytes, bytes.count)
}

/// Ends with the status for a mistake in the command line.
func refuse() -> Never {
  say(usage, to: 2)
  exit(64)
}

func run(_ given: [String]) throws(SegueError) -> Int32 {
  var arguments = given
  switch arguments.first {
  case "--help", "-h":
    say(usage, to: 1)
    return 0
  case "--version":
    say("segue-shell \(Version.string)\n", to: 1)
    return 0
  case "list" where arguments.count == 1:
    say(try ShellCommands.list(), to: 1)
    return 0
  case "attach" where arguments.count <= 2: return try ShellCommands.attach(arguments.count > 1 ? arguments[1] : nil)
  case "list", "attach": refuse()
  // How it starts itself apart from the terminal.
  case "--session":
    guard arguments.count >= 6, arguments[4] == "--", let rows = Int(arguments[1]), let columns = Int(arguments[2])
    else { refuse() }
    return SessionProcess.run(
      Array(arguments[5...]), size: (rows, columns), isShared: arguments[3] == "shared", handed: 3)
  // How the session bus, and a shared session, start what has to do with other devices.
  case "--serve" where arguments.count == 1: return try ShellService.run()
  // What it runs in a terminal for a session of another device.
  case "--continued" where arguments.count == 2: return try ShellCommands.viewContinued(arguments[1])
  default: break
  }
  var isShared = false
  while let option = arguments.first, option.hasPrefix("-") {
    arguments.removeFirst()
    if option == "--" { break }
    guard option == "--share" else { refuse() }
    isShared = true
  }
  return try ShellCommands.start(arguments, isShared: isShared)
}

do throws(SegueError) {
  exit(try run(Array(CommandLine.arguments.dropFirst())))
} catch {
  say("segue-shell: \(error.message)\n" + (error.advice.isEmpty ? "" : "  \(error.advice)\n"), to: 2)
  exit(1)
}
