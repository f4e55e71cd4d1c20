import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// Files in folders that devices share (semantics R7, R8). The origin names them by container and relative path; the
/// continuing device finds them. Each of the two has a thread of its own, so that neither waits for the other's disk.
final class FileService {
  /// The activity types that an application declares for documents of a MIME type, in each role.
  typealias DocumentTypes = (AppID, MIMEType) -> (edited: ActivityType?, viewed: ActivityType?)

  private let containers: Containers
  private let documentTypes: DocumentTypes
  private let loop: EventLoop
  private let log: Log
  private let time: UInt64
  private let nameTime: UInt64
  let originFiles: FileWorker
  private let arrivingFiles: FileWorker
  private var waits: [Identifier: FileWait] = [:]
  private var watch: LoopWatch?

  /// `time`: how long a file is waited for. `nameTime`: how long the origin looks where its files are.
  init(
    _ containers: Containers, time: UInt64, nameTime: UInt64 = Limits.containerNameTime, loop: EventLoop, log: Log,
    documentTypes: @escaping DocumentTypes
  ) {
    self.containers = containers
    self.documentTypes = documentTypes
    self.loop = loop
    self.log = log
    self.time = time
    self.nameTime = nameTime
    originFiles = FileWorker(loop)
    arrivingFiles = FileWorker(loop)
  }

  /// Watches which containers there are. `changed` is called when the list has changed.
  func start(changed: @escaping () -> Void) throws(SegueError) {
    containers.onChange = changed
    watch = try loop.watch(containers.descriptor, .readable) { [containers] _ in containers.process() }
  }

  func stop() { watch?.cancel() }

  // MARK: The origin

  /// Adds to an answer which files of its userInfo lie in containers, and calls `done` with it: at once if userInfo
  /// names no file, otherwise later.
  func nameFiles(of answer: FetchAnswer, _ done: @escaping (FetchAnswer) -> Void) {
    guard case .snapshot(var snapshot) = answer, !containers.table.containers.isEmpty,
      let urls = try? CBOR.decode(snapshot.userInfo).fileURLs, !urls.isEmpty
    else { return done(answer) }
    let table = containers.table
    look({ ContainerFinder(table).files(urls) }) { [log] files in
      if files == nil {
        log.warning("a file system did not answer: the files of an activity were not looked for", cause: "files")
      }
      snapshot.files = files ?? []
      done(.snapshot(snapshot))
    }
  }

  /// Finds the container that a file lies in.
  func find(_ file: FileURL, _ done: @escaping (Event.FoundPlace) -> Void) {
    let table = containers.table
    look({ [ContainerFinder(table).find(file.path)?.container.id] }) { [log] found in
      guard let found else {
        log.warning("a file system did not answer: where an activity's file lies is not known", cause: "files")
        return done(.unknown)
      }
      done(found[0].map { .folder($0) } ?? .outside)
    }
  }

  /// The ids of the containers.
  var ids: [String] { containers.table.containers.map { $0.id } }

  /// Does work that looks into file systems. `done` gets nil if they do not answer in time.
  private func look<R: Sendable>(_ work: @escaping @Sendable () -> R, _ done: @escaping (R?) -> Void) {
    // The first of two: the file system's answer, or the timer.
    var isOver = false
    let finish = { (result: R?) in
      guard !isOver else { return }
      isOver = true
      done(result)
    }
    let timer = loop.timer(after: nameTime) { finish(nil) }
    let isAccepted = originFiles.run(work) { result in
      timer.cancel()
      finish(result)
    }
    if !isAccepted {
      timer.cancel()
      finish(nil)
    }
  }

  /// Replies with the activity type that the application declares for documents of this MIME type, and with the
  /// container that the file lies in: at once if there are no containers, otherwise later.
  func findDocument(
    _ url: BusValue?, _ mimeType: BusValue?, of application: RegisteredCaller, _ invocation: Invocation
  ) throws(SegueError) {
    guard let url = url?.asString.flatMap({ FileURL($0) }), let mimeType = mimeType?.asString.flatMap({ MIMEType($0) })
    else {
      throw SegueError(.invalidArgument, "A document has a file's URL and a MIME type.")
    }
    let types = documentTypes(application.appID, mimeType)
    var place = DocumentPlace(activityType: types.edited, viewerType: types.viewed)
    guard !containers.table.containers.isEmpty else { return invocation.reply([.dictionary(place.dictionary)]) }
    let table = containers.table
    look({ [ContainerFinder(table).find(url.path)?.container.id] }) { found in
      guard let found else {
        return invocation.fail(
          SegueError(.system, "The file system of \(DisplayText.clean(url.path)) did not answer."))
      }
      place.container = found[0]
      invocation.reply([.dictionary(place.dictionary)])
    }
  }

  // MARK: The continuing device

  /// Waits for the files that a snapshot names, then replaces the origin's URLs by this device's.
  func localize(
    _ continuation: Identifier, _ snapshot: Snapshot, done: @escaping (Result<Snapshot, SegueError>) -> Void
  ) {
    do throws(SegueError) {
      let files = try WantedFile.files(of: snapshot, in: containers.table)
      guard let first = files.first else { return done(.success(snapshot)) }
      waits[continuation] = try FileWait(
        files, first: first, time: time, loop: loop, worker: arrivingFiles
      ) { [self] result in
        waits[continuation] = nil
        do throws(SegueError) {
          done(.success(try snapshot.localized(try result.get())))
        } catch {
          done(.failure(error))
        }
      }
    } catch {
      done(.failure(error))
    }
  }

  /// Stops waiting for the files of a continuation.
  func cancel(_ continuation: Identifier) { waits.removeValue(forKey: continuation)?.cancel() }
}
