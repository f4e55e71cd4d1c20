import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueRuntime

/// Files on their way to one device: an activity that only that device is offered.
final class Sending {
  enum Stage: Equatable {
    /// It waits for its turn to become an activity on offer.
    case waiting
    /// The daemon has still to list it.
    case beginning
    /// The device is asked to show it.
    case proposing
    /// Its user has not taken it yet.
    case shown
    case taken
    case over
  }

  let number: UInt64
  /// The device's id.
  let device: String
  let activity: Activity
  let caller: Connection
  var stage = Stage.waiting
  /// The caller knows that the device shows it.
  var isOffered = false
  /// The call that waits for the card to be shown; then the one that waits for the end.
  var invocation: Invocation?
  /// The end, until it is asked for.
  var result: Result<FilesReport, SegueError>?
  var timer: LoopTimer?
  /// The report, as far as it has come.
  private var report: [UInt8] = []
  private var hasStreams = false
  private var input: FileDescriptor?
  private var watch: LoopWatch?

  init(_ number: UInt64, _ device: String, _ activity: Activity, _ invocation: Invocation) {
    self.number = number
    self.device = device
    self.activity = activity
    self.invocation = invocation
    caller = invocation.connection
  }

  /// Reads the receiver's report; `done` gets nil where it is none.
  func read(_ streams: StreamPair, on loop: EventLoop, _ done: @escaping (FilesReport?) -> Void) {
    let (input, output) = streams.take()
    _ = close(output)
    // The other device may open more of them than the one for its report.
    guard !hasStreams, stage == .proposing || stage == .shown || stage == .taken else {
      _ = close(input)
      return
    }
    hasStreams = true
    let descriptor = FileDescriptor(owning: input)
    self.input = descriptor
    watch = try? loop.watch(input, .readable) { [weak self] _ in
      guard let self else { return }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = Glibc.read(input, &chunk, chunk.count)
      if count < 0, errno == EINTR { return }
      if count > 0, report.count + count <= Limits.fileReport {
        report += chunk[..<count]
        return
      }
      stopReading()
      done(count == 0 ? FilesReport(bytes: report) : nil)
    }
  }

  func stopReading() {
    watch?.cancel()
    watch = nil
    input = nil
  }
}

/// Files of this device, as they are looked at before they are sent.
enum OwnFiles {
  /// Throws for the first that cannot be sent, and says which.
  static func look(_ paths: [String]) throws(SegueError) -> [SentFile] {
    guard !paths.isEmpty, paths.count <= Limits.sentFiles else {
      throw SegueError(
        .limitExceeded, "From 1 to \(Limits.sentFiles) files are sent together.", advice: "Send a part of them.")
    }
    var files: [SentFile] = []
    for path in paths {
      let file = try look(path)
      if !files.contains(where: { $0.url.isSame(as: file.url) }) { files.append(file) }
    }
    return files
  }

  private static func look(_ path: String) throws(SegueError) -> SentFile {
    let shown = DisplayText.quoted(path, maximum: Limits.shownPath)
    guard let real = realpath(path, nil) else {
      throw SegueError(.notFound, "\(shown) cannot be found: \(String(cString: strerror(errno))).")
    }
    defer { free(real) }
    guard let text = TextCheck.string(Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))),
      let url = FileURL(path: text), let name = text.pathParts?.name
    else {
      throw SegueError(.invalidArgument, "\(shown) has a name that is not UTF-8.", advice: "Give it another name.")
    }
    // Neither a FIFO nor a device is waited for: what is found is looked at before it is opened.
    guard let found = FileDescriptor(segue_find_element(AT_FDCWD, text)), let status = found.status else {
      throw SegueError(.accessDenied, "\(shown) cannot be read: \(String(cString: strerror(errno))).")
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw SegueError(.invalidArgument, "\(shown) is a folder.", advice: "Send its files, or an archive of it.")
    default: throw SegueError(.invalidArgument, "\(shown) is not a regular file.")
    }
    guard FileDescriptor(segue_open_found(found.raw)) != nil else {
      throw SegueError(.accessDenied, "\(shown) cannot be read: \(String(cString: strerror(errno))).")
    }
    return SentFile(url: url.string, name: name, size: UInt64(clamping: status.st_size))
  }
}
