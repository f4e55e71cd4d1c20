import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The store, on a queue of its own, so that the loop never waits for its disk. To be used on the loop's thread.
final class StoreService {
  private let loop: EventLoop
  private let queue = WorkQueue("segue-store", prepare: Confinement.enter)
  /// Used on the queue alone, but for `exists`.
  private let store: Store
  private let idleTime: UInt64
  private var idleTimer: LoopTimer?
  private var pending = 0
  private var isClosed = false

  /// Called when the store's file was damaged and has been set aside: all copies are lost. The call comes before the
  /// answer to the request that found the damage.
  var onEmptied: () -> Void = {}

  /// Makes no file and starts no thread. `report` is called on the loop with what is wrong with the file. After
  /// `idleTime` milliseconds without a request the store's file is closed. The other arguments are as in `Store`.
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

  /// Reads the list of all copies, the latest first. Makes no file; otherwise as `ask`.
  func load(_ done: @escaping (Result<[StoredCopy], SegueError>) -> Void) {
    // No thread is started to learn that nothing was ever stored.
    guard store.exists else { return loop.later { done(.success([])) } }
    perform({ store throws(SegueError) in try store.copies() }, done)
  }

  /// Carries out a request after all earlier ones, then calls `done` in a dispatch of the loop. If too many requests
  /// wait, or after `close`, nothing is done, and `done` gets an error, before the answers to the requests that wait.
  func ask(_ request: StoreRequest, done: @escaping (Result<StoreAnswer, SegueError>) -> Void) {
    perform({ store throws(SegueError) in try store.answer(request) }, done)
  }

  private func perform<Answer: Sendable>(
    _ work: @escaping @Sendable (Store) throws(SegueError) -> Answer,
    _ done: @escaping (Result<Answer, SegueError>) -> Void
  ) {
    guard !isClosed, pending < Limits.pendingStoreRequests else {
      let error = SegueError(
        .system, "The store has too much to do.", advice: "Check whether the disk of its folder still answers.")
      return loop.later { done(.failure(error)) }
    }
    pending += 1
    idleTimer?.cancel()
    let loop = loop
    // `store` is used on its queue; `service` and `done` only when they are back on the loop's thread.
    nonisolated(unsafe) let (service, store, done) = (self, store, done)
    queue.add {
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
    idleTimer = loop.timer(after: idleTime) { [queue] in queue.add { store.close() } }
  }

  /// Waits until all requests are carried out, and closes the file. Blocks for `milliseconds` at most; returns false if
  /// the disk takes longer, and what is not done by then is lost if the process ends. No request is accepted any more;
  /// answers still come if the loop is dispatched.
  @discardableResult
  func close(within milliseconds: UInt64 = Limits.storeFarewellTime) -> Bool {
    isClosed = true
    idleTimer?.cancel()
    nonisolated(unsafe) let store = store
    let closed = Happening()
    queue.add {
      store.close()
      closed.happen()
    }
    return closed.wait(milliseconds: milliseconds)
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
