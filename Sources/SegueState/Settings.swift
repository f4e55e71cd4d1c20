import Glibc
import SegueCore
import SegueEngine

/// The daemon's settings, from the XDG_* variables and segue.conf. Tests set them as users do.
public struct Settings: Sendable {
  /// The address of the session bus; nil for the user's own.
  public var busAddress: String?
  /// The directory of the device's key, the paired devices and other state.
  public var stateFolder: String
  /// The directory of files that can be made or fetched again.
  public var cacheFolder: String
  /// The directory of segue.conf, and of the choices that the user made by commands.
  public var configFolder: String
  /// The directory of the private door, `$XDG_RUNTIME_DIR/segue`. Nil if that variable is not set: the daemon then
  /// makes a fresh directory, since no other one can be trusted.
  public var doorFolder: String?
  /// The addresses at which to listen for other devices; nil for the usual port and all of the machine's addresses.
  public var listen: [LinkAddress]?
  /// This device's name for other devices.
  public var deviceName: String
  /// Whether offers of other devices are shown by notification.
  public var showsOffers = true
  /// How many offers are shown a minute at most.
  public var noticesPerMinute = Limits.noticesPerMinute
  /// Notes for the log about unusual settings in segue.conf.
  public var notes: [String] = []
  /// The daemon's timeouts.
  public var times = Times()
  /// The policy on which offers other devices get, and which copies are stored.
  public var policy = Policy()
  /// Whether and where this device is announced.
  public var discovery = DiscoverySettings()

  /// Reads the environment and `$XDG_CONFIG_HOME/segue/segue.conf`. Throws an error that says what is wrong with them.
  public static func load() throws(SegueError) -> Settings {
    let home = environment("HOME") ?? "/"
    let state = folder("XDG_STATE_HOME") ?? home + "/.local/state"
    let config = folder("XDG_CONFIG_HOME") ?? home + "/.config"
    var settings = Settings(
      stateFolder: state + "/segue",
      cacheFolder: (folder("XDG_CACHE_HOME") ?? home + "/.cache") + "/segue", configFolder: config + "/segue",
      doorFolder: folder("XDG_RUNTIME_DIR").map { $0 + "/segue" },
      deviceName: try hostName())
    try settings.read(config + "/segue/segue.conf")
    return settings
  }

  /// Reads the groups [Link], [Notifications], [Limits] with times in milliseconds (Times.swift), [Policy] and
  /// [Developer] (Policy.swift), and [Discovery] (DiscoverySettings.swift). docs/configuration.md lists them all.
  private mutating func read(_ path: String) throws(SegueError) {
    guard let bytes = try File.read(path, asSettings: true) else { return }
    let file: KeyFile
    do throws(SegueError) {
      file = try KeyFile(bytes)
      if let name = try file.string("Link", "Name") {
        deviceName = DisplayText.clean(name, maximum: Limits.titleAdvised)
      }
      listen = try file.list("Link", "Listen")?.map { text throws(SegueError) in
        guard let address = LinkAddress(text) else {
          throw file.failure(
            "Link", "Listen",
            "names \(DisplayText.quoted(text, maximum: Limits.shownName)), which is not an address: write host:port, or "
              + "[host]:port for IPv6")
        }
        guard address.ip?.isLinkLocal != true else {
          throw file.failure(
            "Link", "Listen",
            "names \(address), which each network interface may have: write "
              + "[\(address.host)%INTERFACE]:\(address.port)")
        }
        return address
      }
      showsOffers = try file.bool("Notifications", "Offers") ?? true
      if let given = try file.integer("Notifications", "PerMinute") {
        guard (1...10_000).contains(given) else {
          throw file.failure("Notifications", "PerMinute", "is not between 1 and 10000")
        }
        noticesPerMinute = Int(given)
      }
      try times.read(file)
      try policy.read(file)
      try discovery.read(file)
      notes = Self.unknown(in: file).map { "\(path): \($0) is not known, and has no effect." }
    } catch {
      throw SegueError(
        .invalidArgument, "\(path): \(error.message).", advice: "Fix the file. The next command starts segued again.")
    }
  }

  /// Notes unknown groups and keys. They may belong to another version, or be typing errors: they are worth a line in
  /// the log, and no reason not to start.
  private static func unknown(in file: KeyFile) -> [String] {
    var known = [
      "Link": ["Listen", "Name"], "Notifications": ["Offers", "PerMinute"], "Limits": Times.keys,
      "Discovery": DiscoverySettings.keys, "Policy": SharingChoices.known, "Developer": ["Teams"],
      "Snapshots": ["Share", "Keep"],
    ]
    for group in file.groups where group.begins(with: "Container ") { known[group] = ["Path"] }
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

/// The directory that an environment variable names. A path that is not absolute is ignored (XDG Base Directory
/// Specification).
private func folder(_ name: String) -> String? { environment(name).flatMap { $0.begins(with: "/") ? $0 : nil } }
