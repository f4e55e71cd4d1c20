import Dispatch
import SegueBus
import SegueCore
import SegueState

/// The store on a thread of its own: nobody on the loop waits for its disk. Loop thread.
final class StoreService {
  private let loop: EventLoop
  private let queue = DispatchQueue(label: "org.segue.store")
  /// Touched on the queue alone.
  private let store: Store
  private let idleTime: UInt64
  private var idleTimer: LoopTimer?
  private var pending = 0
  private var isClosed = false

  /// Called when the file was damaged and was set aside, before the answer to the request that found that: of what was
  /// kept before that request nothing is there any more.
  var onEmptied: () -> Void = {}

  /// Makes no file and starts no thread. `report` is told, on the loop, what was wrong with the file; the other
  /// arguments are as in `Store`. The store is closed when it was not asked for `idleTime` milliseconds.
  init(
    _ loop: EventLoop, folder: String, life: UInt64 = Limits.storedCopyTime / 1000, bounds: StoreBounds = StoreBounds(),
    fileBytes: Int = Limits.storeFileBytes, idleTime: UInt64 = Limits.storeIdleTime,
    now: @escaping @Sendable () -> UInt64 = secondsSince1970, report: @escaping (String) -> Void
  ) {
    self.loop = loop
    self.idleTime = idleTime
    nonisolated(unsafe) let report = report
    store = Store(folder: folder, life: life, bounds: bounds, fileBytes: fileBytes, now: now) { text in
      loop.post { report(text) }
    }
    nonisolated(unsafe) weak let service = self
    store.emptied = { loop.post { service?.onEmptied() } }
  }

  /// Everything that is kept, the latest first; otherwise as `ask`. Asking makes no file.
  func load(_ done: @escaping (Result<[StoredCopy], SegueError>) -> Void) {
    perform({ store throws(SegueError) in try store.copies() }, done)
  }

  /// Does what is asked, after all that was asked before, then calls `done` in a dispatch of the loop. Where too much
  /// waits, or after `close`, nothing is done, and `done` is called with an error before the answers of what waits.
  func ask(_ request: StoreRequest, done: @escaping (Result<StoreAnswer, SegueError>) -> Void) {
    perform({ store throws(SegueError) in try store.answer(request) }, done)
  }

  private func perform<Answer: Sendable>(
    _ work: @escaping @Sendable (Store) throws(SegueError) -> Answer,
    _ done: @escaping (Result<Answer, SegueError>) -> Void
  ) {
    guard !isClosed, pending < Limits.pendingStoreRequests else {
      let error = SegueError(
        .system, "The store has too much to do.", advice: "Look whether the disk of its folder still answers.")
      return loop.later { done(.failure(error)) }
    }
    pending += 1
    idleTimer?.cancel()
    let loop = loop
    // The store goes to its thread, the others come back to the thread that they are from.
    nonisolated(unsafe) let (service, store, done) = (self, store, done)
    queue.async {
      let answer = Result { () throws(SegueError) in try work(store) }
      loop.post {
        service.answered()
        done(answer)
      }
    }
  }

  private func answered() {
    pending -= 1
    guard pending == 0, !isClosed else { return }
    nonisolated(unsafe) let store = store
    idleTimer = loop.timer(after: idleTime) { [queue] in queue.async { store.close() } }
  }

  /// Lets what was asked for be done, and closes the file. False where the disk takes longer than `milliseconds`: what
  /// is done after that is lost if the process ends. Nothing is accepted any more; answers still come if the loop is
  /// dispatched. Blocks.
  @discardableResult
  func close(within milliseconds: UInt64 = Limits.storeFarewellTime) -> Bool {
    isClosed = true
    idleTimer?.cancel()
    nonisolated(unsafe) let store = store
    let closed = DispatchSemaphore(value: 0)
    queue.async {
      store.close()
      closed.signal()
    }
    return closed.wait(timeout: .now() + .milliseconds(Int(clamping: milliseconds))) == .success
  }
}

extension Store {
  /// Does what is asked.
  fileprivate func answer(_ request: StoreRequest) throws(SegueError) -> StoreAnswer {
    switch request {
    case .put(let copy, let snapshot):
      let put = try put(copy, snapshot)
      return .put(put.copy, gone: put.gone)
    case .snapshot(let key): return .snapshot(try snapshot(key))
    case .remove(let keys): return .removed(try remove(keys))
    case .setLife(let timeLeft, let keys): return .lives(try setLife(timeLeft, of: keys))
    case .expire: return .expired(try expire())
    }
  }
}
