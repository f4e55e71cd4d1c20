import SegueBus
import SegueCore
import SegueEngine

/// Waits until files are in their containers, or cannot be there in time. Loop thread.
final class FileWait {
  private let search: FileSearch
  private let worker: FileWorker
  private let loop: EventLoop
  private let done: (Result<[WantedFile], SegueError>) -> Void
  private let lookTime: UInt64
  private var watch: LoopWatch?
  private var timers: [LoopTimer] = []
  /// The one to name if time runs out.
  private var missing: WantedFile
  private var isLooking = false
  private var isOver = false

  /// Calls `done` once, with the files as they are called here, or what went wrong, unless it is cancelled before; not
  /// before this has returned. `lookTime`:
  /// from one look to the next, where no news comes.
  init(
    _ files: [WantedFile], first: WantedFile, time: UInt64, loop: EventLoop, worker: FileWorker,
    lookTime: UInt64 = Limits.containerLookTime,
    done: @escaping (Result<[WantedFile], SegueError>) -> Void
  ) throws(SegueError) {
    search = try FileSearch(files)
    missing = first
    self.loop = loop
    self.worker = worker
    self.lookTime = lookTime
    self.done = done
    watch = try loop.watch(search.descriptor, .readable) { [self] _ in look(always: false) }
    timers.append(loop.timer(after: time) { [self] in end(.failure(Self.late(missing))) })
    look(always: true)
  }

  /// `done` is not called any more.
  func cancel() {
    isOver = true
    watch?.cancel()
    watch = nil
    for timer in timers { timer.cancel() }
    timers = []
  }

  private func end(_ result: Result<[WantedFile], SegueError>) {
    cancel()
    done(result)
  }

  private func look(always: Bool) {
    guard !isOver, !isLooking else { return }
    isLooking = true
    // Events that arrive during the search are read after it.
    watch?.setEvents([])
    let search = search
    let isAccepted = worker.run({ always ? search.lookAgain() : search.look() }) { [self] outcome in
      isLooking = false
      guard !isOver else { return }
      watch?.setEvents(.readable)
      scheduleNext()
      if let outcome { took(outcome) }
    }
    guard !isAccepted else { return }
    // Others are waiting for the file system to answer.
    isLooking = false
    scheduleNext()
  }

  private func took(_ outcome: FileSearch.Outcome) {
    switch outcome {
    case .allThere(let files): end(.success(files))
    case .missing(let file): missing = file
    case .failed(let error): end(.failure(error))
    }
  }

  /// Looks by a timer as well: network file systems do not report other machines' changes, and a mount makes no event.
  private func scheduleNext() {
    if timers.count > 1 { timers.removeLast().cancel() }
    timers.append(loop.timer(after: lookTime) { [self] in look(always: true) })
  }

  private static func late(_ file: WantedFile) -> SegueError {
    SegueError(
      .handoffFailed,
      "\(file.name) has not arrived in the shared folder \(file.container.id) in time.",
      advice: "Check whether the folder is synchronised, then continue again.")
  }
}
