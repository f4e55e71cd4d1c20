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
  var notes: [String] = []
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

/// An environment variable that is set and not empty.
func environment(_ name: String) -> String? {
  guard let value = getenv(name), value[0] != 0 else { return nil }
  return TextCheck.string(Array(UnsafeBufferPointer(start: value, count: strlen(value))).map { UInt8(bitPattern: $0) })
}

/// Small files, read whole.
enum File {
  /// Makes the folders above a path, for this user alone, where they are missing (XDG Base Directory Specification).
  static func makeParents(of path: String) throws(SegueError) {
    var parent = ""
    for name in path.split(separator: "/").dropLast() {
      parent += "/" + name
      guard mkdir(parent, 0o700) == 0 || errno == EEXIST else {
        throw SegueError(.system, "The folder \(parent) cannot be made.", advice: "Make it, or set XDG_STATE_HOME.")
      }
    }
  }

  /// Writes a file, or another in its place, at once: a crash leaves the old or the new one. Throws `system`.
  static func replace(_ path: String, _ bytes: [UInt8]) throws(SegueError) {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SegueError(.system, "\(path) cannot be written: \(systemMessage()).") }
    var rest = bytes[...]
    var isWritten = true
    while isWritten, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      isWritten = count > 0
      rest = rest.dropFirst(max(count, 0))
    }
    isWritten = isWritten && fsync(file) == 0
    guard close(file) == 0, isWritten, rename(draft, path) == 0 else {
      let reason = systemMessage()
      unlink(draft)
      throw SegueError(.system, "\(path) cannot be written: \(reason).")
    }
  }

  /// Nil where there is none. Throws where it is too large or cannot be read.
  static func read(_ path: String, maximum: Int = Limits.fileLength) throws(SegueError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw SegueError(.system, "\(path) cannot be read.")
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: maximum + 1)
    var count = 0
    while count < bytes.count {
      let some = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      if some < 0, errno == EINTR { continue }
      guard some >= 0 else { throw SegueError(.system, "\(path) cannot be read.") }
      if some == 0 { return Array(bytes[..<count]) }
      count += some
    }
    throw SegueError(.limitExceeded, "\(path) is larger than \(maximum) bytes.")
  }
}

/// The wall clock, for what a person reads later.
func secondsSince1970() -> UInt64 { UInt64(clamping: time(nil)) }
