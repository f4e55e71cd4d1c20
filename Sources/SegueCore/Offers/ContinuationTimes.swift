/// Where a continuation's time goes (semantics X4). Pure: times are given in, in microseconds of one clock.
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

  /// A phase as it was: when it began, since the choice, and how long it took.
  public struct Span: Equatable, Sendable {
    public let phase: Phase
    public let start: UInt64
    public let duration: UInt64
  }

  private let chosen: UInt64
  private var begun: [Phase: UInt64] = [:]
  /// Those that have ended.
  private var spans: [Phase: Span] = [:]

  public init(chosen: UInt64) {
    self.chosen = chosen
    begun[.choose] = chosen
  }

  /// A phase begins, once more if it had ended: an application that is launched again.
  public mutating func begin(_ phase: Phase, at time: UInt64) {
    begun[phase] = time
    spans[phase] = nil
  }

  /// A phase ends; nothing if it did not run.
  public mutating func end(_ phase: Phase, at time: UInt64) {
    guard let start = begun.removeValue(forKey: phase) else { return }
    spans[phase] = Span(phase: phase, start: since(start), duration: time > start ? time &- start : 0)
  }

  /// The origin has said how long its application took to save; it began somewhere within fetch.
  public mutating func saved(in duration: UInt64) {
    spans[.save] = Span(phase: .save, start: begun[.fetch].map(since) ?? spans[.fetch]?.start ?? 0, duration: duration)
  }

  /// What has ended, in the order of `Phase`.
  public var all: [Span] { Phase.allCases.compactMap { spans[$0] } }

  /// From the choice to the end of the last phase.
  public var total: UInt64 { spans.values.reduce(0) { max($0, $1.start &+ $1.duration) } }

  private func since(_ time: UInt64) -> UInt64 { time > chosen ? time &- chosen : 0 }
}
