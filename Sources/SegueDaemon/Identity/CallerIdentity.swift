import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// Finds out which process is at the other end of the door's socket (security, section 4).
public struct CallerIdentity: Sendable {
  /// The identity of a caller.
  public enum Verdict: Equatable, Sendable {
    /// The caller cannot be identified, or may not call.
    case refused(SegueError)
    /// The kernel's word: a process in a Flatpak sandbox of that application.
    case sandboxed(AppID, instance: String)
    /// A process of the user's outside of Flatpak.
    case host(HostProcess)
  }

  private let proc: String
  private let user: uid_t

  /// Asks the process file system at `proc`, and serves the processes of `user`.
  public init(proc: String = "/proc", user: uid_t = getuid()) {
    self.proc = proc
    self.user = user
  }

  /// Identifies the process that connected. `pid` and `uid` are those that the kernel noted of the socket's peer
  /// (SO_PEERCRED), `connected` the time at which the connection was accepted: a process that began later has the
  /// number of one that is gone (attack 40).
  public func identify(pid: Int32, uid: uid_t, connected: Instant? = nil) -> Verdict {
    do throws(SegueError) {
      return try recognise(pid, uid, connected, { _, _ in }).verdict
    } catch {
      return .refused(error)
    }
  }

  /// Identifies the process that connected, as `identify` does, and says whose share of the door's slots it uses. Throws
  /// why the caller cannot be identified, or may not call.
  func holder(
    pid: Int32, uid: uid_t, connected: Instant
  ) throws(SegueError) -> (verdict: Verdict, holder: DoorSlots.Holder) {
    let (verdict, holder) = try recognise(pid, uid, connected) { DoorSlots.Holder(process: pid, $0, $1) }
    return (verdict, holder)
  }

  /// `read` takes what else is asked of the process, while it is known to be the one.
  private func recognise<More>(
    _ pid: Int32, _ uid: uid_t, _ connected: Instant?, _ read: (ProcessFolder, ProcessStatus?) -> More
  ) throws(SegueError) -> (verdict: Verdict, more: More) {
    guard uid == user else { throw SegueError(.accessDenied, "The caller is another user's process") }
    // 0 stands for a process that is not to be seen from here.
    guard pid > 0, let process = FileDescriptor(segue_pidfd_open(pid)) else { throw Self.gone }
    let folder = ProcessFolder(of: pid, proc: proc)
    let verdict = try examine(pid, folder)
    let status = connected == nil ? nil : folder.status()
    if let connected, status?.start ?? .distantFuture > connected { throw Self.gone }
    let more = read(folder, status)
    // While the descriptor's process lives, no other process has its number, so all reads above were of this one.
    guard Self.isAlive(process) else { throw Self.gone }
    return (verdict, more)
  }

  private static let gone = SegueError(.accessDenied, "The caller's process is gone, or cannot be seen")

  private func examine(_ pid: Int32, _ folder: ProcessFolder) throws(SegueError) -> Verdict {
    // Links below the process's root would lead into ours. There is one step below it, so O_NOFOLLOW is all it takes.
    guard let root = folder.root() else {
      throw unknown("its root folder: \(systemMessage())")
    }
    guard let found = root.open(".flatpak-info", O_NOFOLLOW | ProcessFolder.pathOnly) else {
      // Only the certainty that there is no such file makes a process one of the host's (attack 42).
      guard errno == ENOENT else { throw unknown(".flatpak-info: \(systemMessage())") }
      return .host(HostProcess(pid: pid, folder))
    }
    guard found.kind == .file else { throw unknown(".flatpak-info is not a regular file") }
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    guard let file = root.open(".flatpak-info", flags), file.kind == .file,
      let bytes = file.bytes(maximum: Limits.fileLength + 1)
    else { throw unknown(".flatpak-info cannot be read") }
    return try sandbox(bytes)
  }

  private func sandbox(_ bytes: [UInt8]) throws(SegueError) -> Verdict {
    // Lenient is how GLib reads it, which wrote it: keys such as `org.example.*` are usual there.
    let info: KeyFile
    do {
      info = try KeyFile(bytes, mode: .lenient)
    } catch {
      throw unknown(".flatpak-info is malformed: \(error.message)")
    }
    guard let name = try info.string("Application", "name"), let id = AppID(name) else {
      throw unknown(".flatpak-info names no application")
    }
    guard let instance = try info.string("Instance", "instance-id"), !instance.isEmpty,
      instance.utf8.count <= Limits.instanceLength, instance.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
    else { throw unknown(".flatpak-info names no instance") }
    return .sandboxed(id, instance: instance)
  }

  private func unknown(_ what: String) -> SegueError {
    SegueError(.accessDenied, "The caller cannot be identified: \(DisplayText.clean(what))")
  }

  private static func isAlive(_ process: FileDescriptor) -> Bool {
    var state = pollfd(fd: process.raw, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&state, 1, 0)
      if count < 0, errno == EINTR { continue }
      return count == 0
    }
  }
}
