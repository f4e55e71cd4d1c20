import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueState

/// A folder that need not be there yet, watched by inotify(7): nothing is read until the kernel tells of a change.
final class WatchedFolder {
  private static let parentMask = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
  private static let mask = parentMask | UInt32(IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM)

  private let path: String
  private let changed: (String?) -> Void
  private let file: FileDescriptor
  private var watch: LoopWatch?
  /// The folder, or the nearest one above it that is there, and the kernel's number for it.
  private var watched = ""
  private var number: Int32 = -1

  /// `changed` gets the name of an entry that was made, written or removed, and nil where any may have been. Throws
  /// `system` where the kernel has no watch left.
  init(_ path: String, on loop: EventLoop, _ changed: @escaping (String?) -> Void) throws(SegueError) {
    (self.path, self.changed) = (path, changed)
    guard let file = FileDescriptor(inotify_init1(O_NONBLOCK | O_CLOEXEC)) else {
      throw SegueError(
        .system, "Folders cannot be watched: \(systemMessage()).",
        advice: "Raise the sysctl fs.inotify.max_user_instances.")
    }
    self.file = file
    begin()
    watch = try loop.watch(file.raw, .readable) { [weak self] _ in self?.read() }
  }

  func cancel() { watch?.cancel() }

  /// Watches the folder, or what is there of the way to it: again where more of it has come meanwhile.
  private func begin() {
    for _ in 0..<Limits.bridgeGreetings {
      if number >= 0 { inotify_rm_watch(file.raw, number) }
      number = -1
      watched = path
      while !watched.isEmpty {
        number = inotify_add_watch(file.raw, watched, watched.isSame(as: path) ? Self.mask : Self.parentMask)
        guard number < 0 else { break }
        watched = watched.pathParts?.folder ?? ""
      }
      guard !watched.isSame(as: path), isThere(path.element(below: watched)) else { return }
    }
  }

  private func isThere(_ path: String?) -> Bool {
    var status = stat()
    guard let path else { return false }
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private func read() {
    var names: [String] = []
    var isLost = false
    withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
      guard let base = buffer.baseAddress else { return }
      let count = CLinux.read(file.raw, base, buffer.count)
      let size = MemoryLayout<inotify_event>.size
      var place = 0
      while count &- place >= size {
        let event = (base + place).loadUnaligned(as: inotify_event.self)
        let name = UnsafeRawBufferPointer(rebasing: buffer[(place &+ size)...].prefix(Int(event.len))).prefix {
          $0 != 0
        }
        place &+= size &+ Int(event.len)
        // The kernel tells of the end of a watch that was removed, too.
        guard event.wd == number || event.mask & UInt32(IN_Q_OVERFLOW) != 0 else { continue }
        if name.isEmpty { isLost = true } else { names.append(String(decoding: name, as: UTF8.self)) }
      }
    }
    guard watched.isSame(as: path), !isLost else {
      begin()
      if watched.isSame(as: path) { changed(nil) }
      return
    }
    for name in names { changed(name) }
  }
}

extension String {
  /// The part of a path that is one element longer than `parent`; nil where it is not below that.
  fileprivate func element(below parent: String) -> String? {
    rest(after: parent + "/").map { parent + "/" + ($0.parts(at: "/").first ?? "") }
  }
}
