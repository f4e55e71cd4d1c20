import Glibc
import SegueCore

/// The user's own files that a bridged program has: a desktop file by which the daemon knows what it continues, a service
/// file by which the session bus starts segue-bridge for it, and one file by which the session starts segue-bridge. They
/// are the user's, and not the installation's, so that what is not enabled claims nothing.
public struct BridgeFiles: Sendable {
  private let data: String
  private let config: String
  private let bridge: String

  /// `data` and `config`: the folders of XDG_DATA_HOME and XDG_CONFIG_HOME. `bridge`: the program's path.
  public init(data: String, config: String, bridge: String) {
    (self.data, self.config, self.bridge) = (data, config, bridge)
  }

  /// Those of the environment. Throws `notFound` where it names no folder.
  public init(bridge: String) throws(SegueError) {
    self.init(
      data: try Self.folder("XDG_DATA_HOME", ".local/share"), config: try Self.folder("XDG_CONFIG_HOME", ".config"),
      bridge: bridge)
  }

  private static func folder(_ variable: String, _ usual: String) throws(SegueError) -> String {
    if let path = environment(variable), path.begins(with: "/") { return path }
    guard let home = environment("HOME"), home.begins(with: "/") else {
      throw SegueError(.notFound, "There is no folder for settings: HOME is not set.")
    }
    return home + "/" + usual
  }

  /// The user's choices beside these files. Throws for a file that cannot be understood.
  public func choices() throws(SegueError) -> BridgeChoices {
    try BridgeChoices(readingFrom: config + "/segue")
  }

  private func desktopFile(of program: BridgedProgram) -> String { "\(data)/applications/\(program.appID).desktop" }
  private func serviceFile(of program: BridgedProgram) -> String {
    "\(data)/dbus-1/services/\(program.appID).Segue.service"
  }
  private var autostart: String { config + "/autostart/org.segue.Bridge.desktop" }

  /// Writes the files of these programs, as far as they are installed, and removes those of all others. Throws `system`.
  public func write(
    for enabled: [BridgedProgram], _ settings: RegistrySettings = .current()
  ) throws(SegueError) {
    for program in BridgedProgram.all {
      guard enabled.contains(program), program.installedPath(settings) != nil else {
        try remove(desktopFile(of: program))
        try remove(serviceFile(of: program))
        continue
      }
      // The service comes first: an application that is known can be launched.
      try write(serviceFile(of: program), "[D-BUS Service]\nName=\(program.appID).Segue\nExec=\(bridge)\n")
      try write(desktopFile(of: program), Self.desktopFile(of: program, bridge))
    }
    guard !enabled.isEmpty else { return try remove(autostart) }
    try write(
      autostart,
      """
      [Desktop Entry]
      Type=Application
      Name=Segue for other applications
      Exec=\(bridge)
      NoDisplay=true

      """)
  }

  static func desktopFile(of program: BridgedProgram, _ bridge: String) -> String {
    let acts = (program.desktopFiles + program.inside).map { $0 + ".desktop;" }.joined()
    return """
      [Desktop Entry]
      Type=Application
      Version=1.5
      Name=\(program.title)
      Icon=\(program.icon)
      TryExec=\(program.programs.first ?? "")
      Exec=\(bridge)
      NoDisplay=true
      X-Segue-ActivityTypes=\(program.type);
      X-Segue-ActsFor=\(acts)

      """
  }

  private func write(_ path: String, _ text: String) throws(SegueError) {
    let bytes = Array(text.utf8)
    // A file that is written anew is read anew by the daemon.
    guard try File.read(path) != bytes else { return }
    try File.makeParents(of: path)
    try File.replace(path, bytes, mode: 0o644)
  }

  private func remove(_ path: String) throws(SegueError) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw File.failure("remove", path)
  }
}
