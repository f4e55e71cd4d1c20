import Glibc
import SegueCore

/// Where the daemon's files are and what it is called: from XDG_* and segue.conf, which tests set as users do.
public struct Settings: Sendable {
  /// The session bus; nil for the user's.
  public var busAddress: String?
  /// The device's key and the paired devices.
  public var stateFolder: String
  /// segue.conf, and what the user chose by commands.
  public var configFolder: String
  /// The folder of the private door, `$XDG_RUNTIME_DIR/segue`; nil without that: a fresh one, since nobody else's can
  /// be trusted.
  public var doorFolder: String?
  /// Where to listen for other devices, as host:port.
  public var listen: [String] = ["0.0.0.0:0"]
  /// What other devices call this one.
  public var deviceName: String
  /// Whether offers of other devices are shown by notification.
  public var showsOffers = true
  /// How many of them in a minute.
  public var noticesPerMinute = Limits.noticesPerMinute
  /// What is odd about segue.conf, for the log.
  public var notes: [String] = []
  /// How long it waits.
  public var times = Times()
  /// What is offered, and to whom.
  public var policy = Policy()

  /// From the environment and `$XDG_CONFIG_HOME/segue/segue.conf`. Throws what is wrong with them.
  public static func load() throws(SegueError) -> Settings {
    let home = environment("HOME") ?? "/"
    let state = folder("XDG_STATE_HOME") ?? home + "/.local/state"
    let config = folder("XDG_CONFIG_HOME") ?? home + "/.config"
    var settings = Settings(
      stateFolder: state + "/segue", configFolder: config + "/segue",
      doorFolder: folder("XDG_RUNTIME_DIR").map { $0 + "/segue" },
      deviceName: try hostName())
    try settings.read(config + "/segue/segue.conf")
    return settings
  }

  /// Groups [Link], [Notifications], [Limits] with times in milliseconds (Times.swift), [Policy] and [Developer]
  /// (Policy.swift). docs/configuration.md has them all.
  private mutating func read(_ path: String) throws(SegueError) {
    guard let bytes = try File.read(path) else { return }
    let file: KeyFile
    do throws(SegueError) {
      file = try KeyFile(bytes)
      if let name = try file.string("Link", "Name") {
        deviceName = DisplayText.clean(name, maximum: Limits.titleAdvised)
      }
      if let listen = try file.list("Link", "Listen") { self.listen = listen }
      showsOffers = try file.bool("Notifications", "Offers") ?? true
      if let given = try file.integer("Notifications", "PerMinute") {
        guard (1...10_000).contains(given) else {
          throw SegueError(.invalidArgument, "PerMinute is not between 1 and 10000.")
        }
        noticesPerMinute = Int(given)
      }
      try times.read(file)
      try policy.read(file)
      notes = Self.unknown(in: file).map { "\(path): \($0) is not known, and has no effect." }
    } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message)", advice: "Mend the file, then start segued again.")
    }
  }

  /// What another version may know, or a typing error: worth a line in the log, and no reason not to start.
  private static func unknown(in file: KeyFile) -> [String] {
    var known = [
      "Link": ["Listen", "Name"], "Notifications": ["Offers", "PerMinute"], "Limits": Times.keys,
      "Policy": ["Withhold"], "Developer": ["Teams"], "Snapshots": ["Share", "Keep"],
    ]
    for group in file.groups where group.hasPrefix("Container ") { known[group] = ["Path"] }
    return file.unknown(besides: known)
  }

  private static func hostName() throws(SegueError) -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { throw SegueError(.system, "This machine has no name.") }
    return DisplayText.clean(
      String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
      maximum: Limits.titleAdvised)
  }
}

/// A folder that the environment names; paths that are not absolute are ignored (XDG Base Directory Specification).
private func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
