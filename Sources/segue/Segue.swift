import ArgumentParser
import SegueCore

/// The command line. It decides nothing: every command asks the daemon and shows the answer.
@main struct Segue: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "segue",
    abstract: "Continue on this device what you were doing on another.",
    discussion: """
      Applications say what you are doing in them, and your paired devices offer to take it over. This command shows \
      what is on offer, takes it over, and pairs devices. It asks the daemon, segued, which starts when it is needed.

      Examples:
        segue activities          what the other devices are doing
        segue continue --latest   go on here with the newest of it
        segue identity            what the other device needs to know to pair with this one

      Exit status:
        0    done
        1    failed; standard error says why, and what to do about it
        2    the daemon cannot be reached
        64   the command line was not understood
      """,
    version: "segue \(version)",
    subcommands: [
      ActivitiesCommand.self, ContinueCommand.self, DevicesCommand.self, DeviceCommand.self, IdentityCommand.self,
      StoredCommand.self, StatusCommand.self, WatchCommand.self, ExplainCommand.self, LastCommand.self, AppCommand.self,
      TeamCommand.self, PluginCommand.self, DefaultCommand.self, SimulateCommand.self,
    ])

  static let version = Version.string
}
