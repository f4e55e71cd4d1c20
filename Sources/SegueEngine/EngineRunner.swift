import SegueCore

/// Runs an engine: hands it events one after the other, and carries out its effects. An event that is reported while
/// effects are carried out waits until all of them are done, so that nobody sees effects in another order.
public final class EngineRunner {
  public private(set) var engine: Engine
  private let clock: () -> Moment
  /// Carries one effect out.
  public var perform: (Effect) -> Void = { _ in }
  private var waiting: [Event] = []
  private var isRunning = false
  private var hasEnded = false

  public init(_ engine: Engine, clock: @escaping () -> Moment) {
    self.engine = engine
    self.clock = clock
  }

  public func handle(_ event: Event) {
    guard !hasEnded else { return }
    waiting.append(event)
    guard !isRunning else { return }
    isRunning = true
    defer { isRunning = false }
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      for effect in engine.handle(next, at: clock()) { perform(effect) }
    }
  }

  /// This process ends, and lets go of what it has open: that calls fail then, and connections are closed, is no news of
  /// the others. The next process goes on where the engine stands (semantics X9). Nothing is handled any more.
  public func end() { hasEnded = true }

  /// Asks the engine something, at this moment.
  public func ask<R>(_ question: (Engine, Moment) throws(SegueError) -> R) throws(SegueError) -> R {
    try question(engine, clock())
  }

  public func ask<R>(_ question: (Engine, Moment) -> R) -> R { question(engine, clock()) }
}
