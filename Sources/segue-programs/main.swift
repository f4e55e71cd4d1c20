import Glibc
import SegueAssociations
import SegueBridge
import SegueBrowser
import SegueBus
import SegueCore
import SegueDaemon
import SegueFiles
import SeguePluginCheck
import SegueShell
import segue

// All programs in one file: they share most of their code, Swift's libraries above all, and so need half the room on the
// disk, and in memory where several run. Each is a process of its own, as if it were a file of its own.

guard let path = ProgramPath.current() else {
  let names = ProgramName.allCases.map { $0.rawValue }.joined(separator: ", ")
  let usage = "segue-programs is started by one of these names: \(names).\n"
  _ = Array(usage.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(64)
}
let arguments = Array(CommandLine.arguments.dropFirst())
switch path.program {
case .associations: exit(AssociationsProgram.run(arguments))
case .bridge: exit(BridgeProgram.run(arguments))
case .browser: exit(BrowserProgram.run(arguments))
case .commandLine: Segue.main()
case .daemon: exit(DaemonProgram.run(arguments))
case .files: exit(FilesProgram.run(arguments))
case .pluginCheck: exit(PluginCheckProgram.run(arguments))
case .shell: exit(ShellProgram.run(arguments))
}
