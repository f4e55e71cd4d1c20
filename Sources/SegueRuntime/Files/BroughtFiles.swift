import CLinux
import SegueBus
import SegueCore

/// Files that userInfo names and that this application brings, or opens for the applications that continue from it: a
/// part of the application.
final class BroughtFiles: @unchecked Sendable {
  typealias Progress = (Activity, UInt64, UInt64) -> Void

  private final class Request {
    let activity: Activity
    let url: String
    private let progress: Progress?
    /// The number of bytes in the last progress report.
    private var done: UInt64?
    private var body: ((Result<BroughtFile, SegueError>) -> Void)?

    init(
      _ activity: Activity, _ url: String, _ progress: Progress?,
      _ body: @escaping (Result<BroughtFile, SegueError>) -> Void
    ) {
      self.activity = activity
      self.url = url
      self.progress = progress
      self.body = body
    }

    func tell(_ done: UInt64, of size: UInt64) {
      self.done = done
      progress?(activity, done, size)
    }

    /// Reports the outcome, the first time only; before it, the full size as progress, which the daemon does not send.
    func end(_ result: Result<BroughtFile, SegueError>) {
      guard let body else { return }
      self.body = nil
      if case .success(let file) = result, done != file.size { tell(file.size, of: file.size) }
      body(result)
    }
  }

  private unowned(unsafe) let application: Application
  /// The requests, by the numbers that the daemon gets.
  private var requests: [UInt64: Request] = [:]
  private var count: UInt64 = 0

  init(_ application: Application) { self.application = application }

  // MARK: The continuing side

  /// Brings the file of a URL in the userInfo that came. `completion` is called once, in a dispatch or while the
  /// application closes, but not if this throws: `invalidArgument` for an activity that no continuation brought and for
  /// a URL that is none of a file, `invalidated` or `limitExceeded`.
  func bring(
    _ url: String, of activity: Activity, _ progress: Progress?,
    _ completion: @escaping (Result<BroughtFile, SegueError>) -> Void
  ) throws(SegueError) {
    guard let continuation = activity.continuation else {
      throw SegueError(
        .invalidArgument, "No continuation brought this activity, so nobody is at the other end.",
        advice: "Ask on the activity that continue_activity was given.")
    }
    guard FileURL(url) != nil else { throw SegueError(.invalidArgument, "This is not the URL of a file.") }
    guard !activity.isInvalid else { throw SegueError(.invalidated, "The activity was invalidated.") }
    guard requests.count < Limits.filesPerApplication else {
      throw SegueError(
        .limitExceeded, "\(Limits.filesPerApplication) files are on their way.", advice: "Wait until some are there.")
    }
    count &+= 1
    let number = count
    requests[number] = Request(activity, url, progress, completion)
    guard let door = application.registration.door else {
      return application.loop.later { [self] in end(number, .failure(Self.daemonGone)) }
    }
    door.bringFile(continuation, url, transfer: number) { [self] result in
      do throws(SegueError) {
        end(number, .success(try Self.present(try result.get())))
      } catch {
        end(number, .failure(error))
      }
    }
  }

  /// Checks that the file exists for this process: the daemon has not looked for one that is no copy, and a sandbox may
  /// not show the daemon's cache.
  private static func present(_ file: BroughtFile) throws(SegueError) -> BroughtFile {
    var status = stat()
    guard stat(file.path, &status) == 0 else {
      if Sandbox.isFlatpak { throw hidden(file) }
      throw SegueError(.notFound, "The file is not there: \(DisplayText.quoted(file.path)).")
    }
    return file.digest == nil
      ? BroughtFile(path: file.path, size: UInt64(clamping: status.st_size), digest: nil) : file
  }

  private static func hidden(_ file: BroughtFile) -> SegueError {
    let place = DisplayText.quoted(file.path)
    guard file.digest == nil else {
      return SegueError(
        .accessDenied, "The file has come, but this Flatpak does not show it: \(place).",
        advice: "Give it the permission --filesystem=xdg-cache/segue/files:ro, and start it again: it shows only "
          + "folders that were there when it started.")
    }
    return SegueError(
      .notFound, "The file is not there, or this Flatpak does not show it: \(place).",
      advice: "Give it the permission --filesystem= for the shared folder, and start it again.")
  }

  /// Ends each request for the URL with `userCancelled`; returns whether there was one.
  func cancel(_ url: String, of activity: Activity) -> Bool {
    let numbers = requests.keys.sorted().filter { number in
      requests[number].map { $0.activity === activity && $0.url.isSame(as: url) } ?? false
    }
    for number in numbers {
      application.registration.door?.cancelFile(number)
      application.loop.later { [self] in
        end(number, .failure(SegueError(.userCancelled, "The file is not wanted any more.")))
      }
    }
    return !numbers.isEmpty
  }

  func progressed(_ number: UInt64, _ done: UInt64, _ size: UInt64) {
    requests[number]?.tell(done, of: size)
  }

  private static let daemonGone = SegueError(
    .connectionUnavailable, "The Segue daemon is gone, and the way to the other device with it.",
    advice: "Segue comes back to it by itself; ask again then.")

  private func end(_ number: UInt64, _ result: Result<BroughtFile, SegueError>) {
    requests.removeValue(forKey: number)?.end(result)
  }

  // MARK: The origin's side

  /// Opens a file that the activity names, for the application that continues it, with this application's own rights.
  /// Throws the reason why there is none.
  func open(_ id: Identifier?, _ url: String) throws(SegueError) -> FileDescriptor {
    guard let activity = id.flatMap({ application.offering.activity($0) }), !activity.isInvalid else {
      throw SegueError(.notFound, "The activity has ended, so it has no files.")
    }
    guard activity.attributes.allowsFiles else {
      throw SegueError(
        .accessDenied, "The activity does not allow its files to be brought.",
        advice: "The application that offers it has to call segue_activity_set_allows_files.")
    }
    guard activity.now.givenFiles.contains(url), let file = FileURL(url) else {
      throw SegueError(.notFound, "The activity's state names no such file.")
    }
    let found = try Self.descriptor(segue_find_element(AT_FDCWD, file.path))
    guard let status = found.status, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
      throw SegueError(.invalidArgument, "It is not a regular file.")
    }
    return try Self.descriptor(segue_open_found(found.raw))
  }

  private static func descriptor(_ raw: Int32) throws(SegueError) -> FileDescriptor {
    guard raw >= 0 else { throw refusal(segue_errno()) }
    return FileDescriptor(owning: raw)
  }

  private static func refusal(_ number: Int32) -> SegueError {
    switch number {
    case ENOENT, ENOTDIR, ELOOP: SegueError(.notFound, "The file is not there any more.")
    case EACCES, EPERM: SegueError(.accessDenied, "The application may not read the file.")
    default: SegueError(.system, "The file cannot be opened: error \(number).")
    }
  }

  // MARK: The end

  /// Called when the application closes: no answer will come.
  func close() {
    let abandoned = requests.keys.sorted().compactMap { requests[$0] }
    requests = [:]
    for request in abandoned { request.end(.failure(Completion.closing())) }
  }
}
