import ArgumentParser
import SegueCore

/// The command line. It decides nothing: every command asks the daemon and shows the answer.
public struct Segue: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "segue",
    abstract: "Continue on this device what you were doing on another.",
    discussion: """
      Applications say what you are doing in them, and your paired devices offer to take it over. This command shows \
      what is on offer, takes it over, and pairs devices. It asks the daemon, segued, which starts when it is needed.

      Examples:
        segue activities          what the other devices are doing
        segue continue --latest   go on here with the newest of it
        segue send lap            send what you are doing here to another device
        segue pair                pair with another device
        segue --version --json    this version, and those of the packages that it is linked with

      Exit status:
        0    done
        1    failed; standard error says why, and what to do about it
        2    the daemon cannot be reached
        64   the command line was not understood; also `help` of a command that there is not

      accept, activities, cancel, continue, decline, default, device, devices, explain, identity, introduce, introductions, last, links, \
      open, pair, pause, receive, received, rename, resume, send, status, stored, transfers, unpair and withhold have all four. So has app check, with 1 also where it finds an error. watch never ends with 0: it runs until a signal ends it, and 2 \
      means that the session bus has ended. bridge, doctor, domain, plugin, simulate and team do without the daemon, and have \
      0, 1 and 64; 1 also where doctor, domain check or plugin check finds an error, or a schedule of simulate goes wrong.
      """,
    version: "segue \(version)",
    subcommands: [
      ActivitiesCommand.self, ContinueCommand.self, CancelCommand.self, TransfersCommand.self,
      DevicesCommand.self, RenameCommand.self, PairCommand.self,
      UnpairCommand.self,
      IntroduceCommand.self, IntroductionsCommand.self, AcceptCommand.self, DeclineCommand.self, DeviceCommand.self,
      IdentityCommand.self,
      StoredCommand.self, StatusCommand.self, DoctorCommand.self, WatchCommand.self, ExplainCommand.self,
      LastCommand.self, AppCommand.self,
      SendCommand.self, ReceiveCommand.self, ReceivedCommand.self,
      TeamCommand.self, DomainCommand.self, LinksCommand.self, OpenCommand.self, PluginCommand.self,
      BridgeCommand.self, DefaultCommand.self, PauseCommand.self, ResumeCommand.self, WithholdCommand.self,
      SimulateCommand.self,
    ])

  static let version = Version.string

  public init() {}

  /// Ends the process.
  public static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if Set(arguments) == ["--version", "--json"] { return print(LinkedPackages.json) }
    if let problem = CommandWords.problem(in: arguments) { exit(withError: ValidationError(problem)) }
    main(arguments)
  }
}
