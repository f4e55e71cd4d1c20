import CLinux
import Glibc
import SegueCore
import SegueState

/// Folders watched by inotify(7), by their paths.
final class FolderWatch {
  struct Event {
    /// The folder, as it was named when the watch began.
    let folder: String
    /// The entry in it; nil if something happened to the folder itself.
    let name: String?
    let isFolder: Bool
    /// The folder is gone from its path, and its watch ended.
    let isGone: Bool
  }

  let descriptor: Int32
  private var paths: [Int32: TextSet] = [:]
  private var numbers: TextMap<Int32> = [:]
  private static let mask =
    UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB)
    | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  init() throws(SegueError) {
    descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SegueError(
        .system, "Folders cannot be watched: \(systemMessage()).",
        advice: "Raise the sysctl fs.inotify.max_user_instances.")
    }
  }

  deinit { close(descriptor) }

  var count: Int { numbers.count }

  /// Watches a folder; again, if another is at the path by now. The errno if it cannot be watched.
  func watch(_ path: String) -> Int32? {
    let number = inotify_add_watch(descriptor, path, Self.mask)
    guard number >= 0 else { return errno }
    if numbers[path] != number {
      forget(path)
      numbers[path] = number
      paths[number, default: []].insert(path)
    }
    return nil
  }

  func forget(_ path: String) {
    guard let number = numbers.removeValue(forKey: path) else { return }
    paths[number]?.remove(path)
    if paths[number]?.isEmpty == true {
      paths[number] = nil
      inotify_rm_watch(descriptor, number)
    }
  }

  /// Forgets a folder and all that were watched below it.
  func forget(below path: String) {
    for watched in numbers.keys.filter({ $0.isSame(as: path) || $0.begins(with: path + "/") }) { forget(watched) }
  }

  /// The next events, as many as fit into the buffer; later calls return the rest. Nil: there were more than the kernel
  /// could keep, so anything may have happened.
  func events() -> [Event]? {
    var events: [Event] = []
    var isComplete = true
    withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 8) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return }
      for (header, name) in InotifyEvents(UnsafeRawBufferPointer(buffer)[..<count]) {
        if header.mask & UInt32(IN_Q_OVERFLOW) != 0 { isComplete = false }
        add(header, name, to: &events)
      }
    }
    return isComplete ? events : nil
  }

  private func add(_ header: inotify_event, _ name: String?, to events: inout [Event]) {
    guard let folders = paths[header.wd] else { return }
    let isGone = header.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0
    for folder in folders.map({ $0.string }) {
      if isGone { forget(below: folder) }
      events.append(
        Event(folder: folder, name: name, isFolder: header.mask & UInt32(IN_ISDIR) != 0, isGone: isGone))
    }
  }
}

/// The events that one read from inotify(7) returned, each with the name that it is about. The name is nil if the event
/// is about the watched directory itself, or if the name is not UTF-8.
struct InotifyEvents: Sequence, IteratorProtocol {
  private var rest: Slice<UnsafeRawBufferPointer>

  init(_ bytes: Slice<UnsafeRawBufferPointer>) { rest = bytes }

  mutating func next() -> (inotify_event, String?)? {
    let size = MemoryLayout<inotify_event>.size
    guard rest.count >= size else { return nil }
    let header = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: inotify_event.self)
    let name = rest.dropFirst(size).prefix(Int(header.len)).prefix { $0 != 0 }
    rest = rest.dropFirst(size + Int(header.len))
    return (header, name.isEmpty ? nil : String(validating: name, as: UTF8.self))
  }
}
