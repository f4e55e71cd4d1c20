/// Where a continuation's time goes (semantics X4). Pure: the caller gives the times, in microseconds of one clock.
public struct ContinuationTimes: Equatable, Sendable {
  /// A part of a continuation. Launch and fetch run side by side.
  public enum Phase: String, CaseIterable, Sendable {
    /// From the choice to the launch message: finding the offer and the application.
    case choose
    /// From the launch message to the application's ticket at the door, its start included.
    case launch
    /// From the request to the other device to its whole answer.
    case fetch
    /// Within fetch: the origin's application saves.
    case save
    /// From the answer to the last file's arrival in a container.
    case files
    /// From the application's ticket to the payload in its hands.
    case claim
    /// From there to the end of the restoration.
    case restore
  }

  /// A phase that has ended: when it began, counted from the choice, and how long it took.
  public struct Span: Equatable, Sendable {
    public let phase: Phase
    public let start: UInt64
    public let duration: UInt64
  }

  private let chosen: UInt64
  private var begun: [Phase: UInt64] = [:]
  /// The phases that have ended.
  private var spans: [Phase: Span] = [:]

  public init(chosen: UInt64) {
    self.chosen = chosen
    begun[.choose] = chosen
  }

  /// A phase begins. It may begin again after it has ended, as when an application is launched a second time.
  public mutating func begin(_ phase: Phase, at time: UInt64) {
    begun[phase] = time
    spans[phase] = nil
  }

  /// A phase ends. Does nothing if it was not running.
  public mutating func end(_ phase: Phase, at time: UInt64) {
    guard let start = begun.removeValue(forKey: phase) else { return }
    spans[phase] = Span(phase: phase, start: since(start), duration: time > start ? time &- start : 0)
  }

  /// The origin has said how long its application took to save. When that began within the fetch is not known.
  public mutating func saved(in duration: UInt64) {
    spans[.save] = Span(phase: .save, start: begun[.fetch].map(since) ?? spans[.fetch]?.start ?? 0, duration: duration)
  }

  /// The phases that have ended, in the order of `Phase`.
  public var all: [Span] { Phase.allCases.compactMap { spans[$0] } }

  /// From the choice to the end of the last phase.
  public var total: UInt64 { spans.values.reduce(0) { max($0, $1.start &+ $1.duration) } }

  private func since(_ time: UInt64) -> UInt64 { time > chosen ? time &- chosen : 0 }
}
