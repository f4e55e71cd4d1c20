import Glibc
import SegueCore
import SegueEngine
import SegueState

/// Looks for files in containers, and watches where they can arrive. It looks into file systems; one thread at a time.
final class FileSearch: @unchecked Sendable {
  enum Outcome: Equatable, Sendable {
    /// Each file has the path that it has on this device.
    case allThere([WantedFile])
    /// The first file that is missing.
    case missing(WantedFile)
    case failed(SegueError)
  }

  /// Readable when `look` may find more than before.
  let descriptor: Int32
  private let files: [WantedFile]
  /// The names that are looked for in each watched folder, whichever scalars they are written with.
  private var watches: [Int32: Set<String>] = [:]

  /// Folders that are watched.
  var watchCount: Int { watches.count }

  init(_ files: [WantedFile]) throws(SegueError) {
    self.files = files
    descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SegueError(
        .system, "Shared folders cannot be watched: \(systemMessage()).",
        advice: "Raise the sysctl fs.inotify.max_user_instances.")
    }
  }

  deinit { close(descriptor) }

  /// Looks for all of the files. Nil if nothing has happened since the last time that concerns them.
  func look() -> Outcome? {
    readEvents() ? lookAgain() : nil
  }

  /// Looks for all of the files, also where no event told to.
  func lookAgain() -> Outcome {
    let former = watches
    watches = [:]
    var missing: WantedFile?
    var there: [WantedFile] = []
    for file in files {
      switch look(for: file) {
      case .there(let path): there.append(file.at(path))
      case .missing: missing = missing ?? file
      case .failed(let error): return .failed(error)
      }
    }
    // Removes watches that are no longer needed. This makes events, but for watches that are no longer known then.
    for number in former.keys where watches[number] == nil { inotify_rm_watch(descriptor, number) }
    return missing.map { .missing($0) } ?? .allThere(there)
  }

  private enum Sight {
    case there(ContainerPath)
    case missing
    case failed(SegueError)
  }

  private func look(for file: WantedFile) -> Sight {
    guard let folder = ContainerFolder(file.container) else {
      return .failed(
        SegueError(
          .handoffFailed,
          "\(file.name) cannot be opened: the shared folder \(file.container.id) is not where it should be "
            + "(\(systemMessage())).",
          advice: "Mount the disk that it is on, or correct the configuration, then continue again."))
    }
    var path = folder.here(file.path)
    var item = folder.item(path)
    if case .missing = item {
      folder.watch(path, descriptor) { watches[$0, default: []].insert($1) }
      // A file that arrived before the last of the watches made no event, so look again.
      path = folder.here(file.path)
      item = folder.item(path)
    }
    switch item {
    case .there: return .there(path)
    case .missing: return .missing
    case .refused(let reason):
      return .failed(
        SegueError(
          .handoffFailed, "\(file.name) in the shared folder \(file.container.id) cannot be opened: \(reason)."))
    }
  }
}

extension FileSearch {
  /// Takes in what the kernel has to tell; whether it may concern a file.
  private func readEvents() -> Bool {
    var concerns = false
    withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        for (header, name) in InotifyEvents(UnsafeRawBufferPointer(buffer)[..<count]) {
          // An overflow has no watch: anything may have happened.
          guard header.mask & UInt32(IN_Q_OVERFLOW) == 0 else {
            concerns = true
            continue
          }
          guard let names = watches[header.wd] else { continue }
          if name.map({ names.contains($0) }) ?? true { concerns = true }
        }
      }
    }
    return concerns
  }
}
