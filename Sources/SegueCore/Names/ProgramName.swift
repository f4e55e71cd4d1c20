/// The programs that are installed: links of these names to one file, which looks by which of them it was started.
public enum ProgramName: String, CaseIterable, Sendable {
  case associations = "segue-associations"
  case bridge = "segue-bridge"
  case browser = "segue-browser"
  case commandLine = "segue"
  case daemon = "segued"
  case files = "segue-files"
  case pluginCheck = "segue-plugin-check"
  case shell = "segue-shell"
}
