#if !canImport(Darwin)
  import Foundation

  /// The state of a stream, and the run loops in which its delegate is told of events, as Foundation's documentation says.
  ///
  /// Foundation on Linux has no source of a run loop for programs to use: a timer stands for it in each, which fires at an
  /// event and keeps `run` from returning for want of sources.
  final class StreamEvents: @unchecked Sendable {
    /// How a stream waits for its end, and looks again.
    struct End {
      /// The event of an end that is ready.
      let event: Stream.Event
      /// Gives true when it is ready, false at the end of the stream; on any thread.
      let wait: (@escaping (Result<Bool, any Error>) -> Void) -> Void
      /// Whether it is ready at this moment.
      let isReady: () -> Bool
      /// The reason of a loss, where it is known.
      let lossReason: () -> (any Error)?
    }

    private enum News { case opened, ready, ended, failed(any Error) }
    private struct Place {
      let loop: RunLoop
      let mode: RunLoop.Mode
      let timer: Timer
    }

    weak var stream: Stream?
    private let end: End
    private let lock = NSLock()
    private var places: [Place] = []
    private var news: [News] = []
    private var isWaiting = false
    private var saysOpen = true
    private var saysLast = true
    private var current = Stream.Status.notOpen
    private var failure: (any Error)?

    init(_ end: End) { self.end = end }

    deinit { for place in places { place.timer.invalidate() } }

    // MARK: State

    var status: Stream.Status { lock.withLock { current } }
    var error: (any Error)? { lock.withLock { failure } }

    func open() {
      lock.withLock { if current == .notOpen { current = .open } }
      wait()
    }

    /// False where it was closed before.
    func close() -> Bool {
      let closed: [Place]? = lock.withLock {
        guard current != .closed else { return nil }
        current = .closed
        news = []
        defer { places = [] }
        return places
      }
      for place in closed ?? [] { place.timer.invalidate() }
      return closed != nil
    }

    /// The stream has ended: its delegate is told so once.
    func ended() {
      lock.withLock { if current == .open { current = .atEnd } }
      tell(.ended)
    }

    func failed(_ error: any Error) {
      let reason = end.lossReason() ?? error
      lock.withLock {
        guard current == .open else { return }
        current = .error
        failure = reason
      }
      tell(.failed(reason))
    }

    // MARK: Run loops

    func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {
      let isMain = loop === RunLoop.main
      let timer = Timer(fire: .distantFuture, interval: Self.never, repeats: true) { [weak self] timer in
        timer.fireDate = .distantFuture
        self?.deliver()
        // `run(mode:before:)` returns after an event, as it does there: timers do not make it, the main queue does.
        if isMain { DispatchQueue.main.async {} }
      }
      let isNew = lock.withLock {
        guard current != .closed, !places.contains(where: { $0.loop === loop && $0.mode == mode }) else { return false }
        places.append(Place(loop: loop, mode: mode, timer: timer))
        return true
      }
      guard isNew else { return }
      loop.add(timer, forMode: mode)
      wait()
    }

    func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) {
      let removed: Place? = lock.withLock {
        guard let index = places.firstIndex(where: { $0.loop === loop && $0.mode == mode }) else { return nil }
        return places.remove(at: index)
      }
      removed?.timer.invalidate()
    }

    private static let never: TimeInterval = 1e9

    /// Waits for the next event, where somebody is to be told. The delegate has read or written what the last one was about.
    func wait() {
      let (opened, waits) = lock.withLock {
        guard current == .open, !places.isEmpty else { return (false, false) }
        defer { (saysOpen, isWaiting) = (false, true) }
        return (saysOpen, !isWaiting)
      }
      if opened { tell(.opened) }
      guard waits else { return }
      end.wait { [weak self] result in
        guard let self else { return }
        lock.withLock { isWaiting = false }
        switch result {
        case .success(true): tell(.ready)
        case .success(false): tell(.ended)
        case .failure(let error): tell(.failed(error))
        }
      }
    }

    /// Tells the delegate in the run loops; from any thread.
    private func tell(_ item: News) {
      lock.withLock {
        guard current != .closed, !places.isEmpty else { return }
        news.append(item)
        for place in places { place.timer.fireDate = Date() }
      }
    }

    /// In one of the run loops.
    private func deliver() {
      let items = lock.withLock {
        defer { news = [] }
        return news
      }
      for item in items {
        guard let stream, let event = event(of: item) else { continue }
        stream.delegate?.stream(stream, handle: event)
      }
    }

    private func event(of item: News) -> Stream.Event? {
      switch item {
      case .opened: return status == .closed ? nil : .openCompleted
      case .ready:
        guard status == .open else { return nil }
        if end.isReady() { return end.event }
        // Somebody has read or written since.
        wait()
        return nil
      case .ended:
        lock.withLock { if current == .open { current = .atEnd } }
        return last(.atEnd) ? .endEncountered : nil
      case .failed(let error):
        let reason = end.lossReason() ?? error
        lock.withLock { if current == .open { (current, failure) = (.error, reason) } }
        return last(.error) ? .errorOccurred : nil
      }
    }

    /// Whether it is the one event after which none comes.
    private func last(_ status: Stream.Status) -> Bool {
      lock.withLock {
        guard current == status, saysLast else { return false }
        saysLast = false
        return true
      }
    }
  }
#endif
