import SegueCore

/// Runs an engine: passes it events one after the other, and carries out its effects. An event that is reported while
/// effects are carried out waits until all of them are done, so that every observer sees the effects in their order.
public final class EngineRunner {
  public private(set) var engine: Engine
  private let clock: () -> Moment
  /// Carries one effect out.
  public var perform: (Effect) -> Void = { _ in }
  /// Is called when all effects of the events up to now are carried out.
  public var rested: () -> Void = {}
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
      if waiting.isEmpty { rested() }
    }
  }

  /// Stops handling events, since this process ends and closes what it has open: the calls that fail then, and the
  /// connections that close, are no events of the other side. The next process goes on from the engine's present state
  /// (semantics X9).
  public func end() { hasEnded = true }

  /// Asks the engine a question, as of this moment.
  public func ask<R>(_ question: (Engine, Moment) throws(SegueError) -> R) throws(SegueError) -> R {
    try question(engine, clock())
  }

  public func ask<R>(_ question: (Engine, Moment) -> R) -> R { question(engine, clock()) }
}
