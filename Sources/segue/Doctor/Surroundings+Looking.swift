import Glibc
import SegueBus
import SegueControl
import SegueCore
import SegueState

extension Surroundings {
  /// Looks around. It starts the daemon where it does not run, as any command does.
  static func look() throws(SegueError) -> Surroundings {
    var found = Surroundings()
    let installation = try Installation.current()
    found.prefix = installation.prefix
    found.ownProgram = installation.daemon
    found.hasOwnService = access(installation.prefix + "/share/" + serviceFile, F_OK) == 0
    found.lookAtServices()
    found.lookAtUnits()
    found.lookAtDisk()
    found.lookAtBus()
    found.lookAtFirewall()
    found.otherLibraries = installation.libraries.filter { !$0.version.isSame(as: found.version) }
    return found
  }

  private static let serviceFile = "dbus-1/services/org.segue.Daemon1.service"

  private static var dataFolders: [String] { RegistrySettings.current().directories.map { $0.path } }

  private mutating func lookAtServices() {
    // A bus also looks into its own share, whatever the environment says, and into a folder of the session.
    let session = environment("XDG_RUNTIME_DIR").map { [$0] } ?? []
    for folder in session + Self.dataFolders + ["/usr/share"] {
      let path = folder + "/" + Self.serviceFile
      guard let bytes = (try? File.read(path)) ?? nil else { continue }
      let line = (try? KeyFile(bytes).string("D-BUS Service", "Exec")) ?? nil
      let program = line?.parts(at: " ").first.map { String($0) } ?? ""
      service = Service(path: path, program: program, isThere: access(program, X_OK) == 0)
      return
    }
  }

  private mutating func lookAtUnits() {
    guard let runtime = environment("XDG_RUNTIME_DIR") else { return }
    hasManager = access(runtime + "/systemd", F_OK) == 0
    let config = environment("XDG_CONFIG_HOME") ?? (environment("HOME") ?? "") + "/.config"
    let settings = [config, "/etc", runtime].map { $0 + "/systemd/user" }
    let folders =
      settings + Self.dataFolders.map { $0 + "/systemd/user" } + [
        "/usr/local/lib/systemd/user", "/usr/lib/systemd/user",
      ]
    unit = folders.map { $0 + "/segued.service" }.first { path in
      var info = stat()
      return lstat(path, &info) == 0
    }
    if let unit, let target = realpath(unit, nil) {
      isMasked = String(cString: target).isSame(as: "/dev/null")
      free(target)
    }
    isEnabled = settings.contains { folder in
      var info = stat()
      return lstat(folder + "/default.target.wants/segued.service", &info) == 0
    }
  }

  private mutating func lookAtDisk() {
    do throws(SegueError) { stateFolder = try Settings.load().stateFolder } catch {
      settingsProblem = error
      return
    }
    // The nearest folder that is there: the others are made in it.
    var folder = stateFolder
    while access(folder, F_OK) != 0, let above = folder.pathParts?.folder, !above.isEmpty { folder = above }
    if access(folder, W_OK) != 0 { diskProblem = errno == EROFS ? .readOnly : .notAllowed }
    var status = statvfs()
    if diskProblem == nil, statvfs(folder, &status) == 0, status.f_blocks > 0, status.f_bavail == 0 {
      diskProblem = .full
    }
  }

  private mutating func lookAtBus() {
    let bus: BusChecks
    do throws(SegueError) {
      bus = try BusChecks()
      isStartable = try bus.startable().contains { $0.isSame(as: SegueAddress.daemonName.string) }
    } catch {
      busProblem = error
      return
    }
    defer { bus.close() }
    do throws(CommandFailure) {
      let daemon = try DaemonClient.open()
      defer { daemon.close() }
      let status: DaemonStatus = try daemon.ask(.getStatus)
      daemonVersion = status.version
      if status.discovery.isSame(as: "unavailable") { discoveryProblem = status.discoveryProblem }
      notes = status.notes
    } catch { daemonProblem = error.error }
    if let process = bus.process(of: SegueAddress.daemonName) {
      isReplaced = Installation.path(behind: "/proc/\(process)/exe").map { $0.ends(with: " (deleted)") } ?? false
    }
  }

  private mutating func lookAtFirewall() {
    if let bytes = (try? File.read("/etc/ufw/ufw.conf")) ?? nil,
      String(decoding: bytes, as: UTF8.self).parts(at: "\n").contains(where: { $0.isSame(as: "ENABLED=yes") })
    {
      firewall = .ufw
      hasProfile = access("/etc/ufw/applications.d/segue", F_OK) == 0
    } else if let bus = try? BusChecks(address: Connection.systemAddress) {
      defer { bus.close() }
      guard bus.process(of: BusName(constant: "org.fedoraproject.FirewallD1")) != nil else { return }
      firewall = .firewalld
      hasProfile = ["/usr/lib", "/etc"].contains { access($0 + "/firewalld/services/segue.xml", F_OK) == 0 }
    }
  }
}
