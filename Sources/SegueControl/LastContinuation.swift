import SegueBus
import SegueCore

/// The continuation that ended last, and where its time went: GetLast (semantics X4). Times are in microseconds.
public struct LastContinuation: ControlValue {
  /// One phase: when it began, counted from the choice, and how long it took.
  public struct Phase: ControlValue {
    public var phase = ContinuationTimes.Phase.choose
    public var start: UInt64 = 0
    public var duration: UInt64 = 0

    public init() {}

    fileprivate init(_ span: ContinuationTimes.Span) {
      (phase, start, duration) = (span.phase, span.start, span.duration)
    }

    public mutating func carry(_ fields: inout ControlFields) {
      fields("phase", &phase, isNeeded: true)
      fields("start", &start)
      fields("duration", &duration)
    }
  }

  public var continuation = ""
  public var activity = ""
  public var type = ""
  /// The names of the application that continued it, and of the device that it came from.
  public var appName = ""
  public var deviceName = ""
  /// From the choice to the end of the last phase.
  public var total: UInt64 = 0
  public var phases: [Phase] = []
  /// The size of userInfo in bytes, if it had arrived.
  public var size: UInt64?
  /// Why it failed, in a sentence.
  public var error: String?

  public init() {}

  public init(
    _ continuation: Identifier, of offer: Offer, appName: String, deviceName: String, times: ContinuationTimes,
    size: Int?, error: SegueError?
  ) {
    self.continuation = continuation.hex
    activity = offer.id.hex
    type = offer.type.string
    self.appName = appName
    self.deviceName = deviceName
    total = times.total
    phases = times.all.map(Phase.init)
    self.size = size.map { UInt64(clamping: $0) }
    self.error = error?.message
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("continuation", &continuation, isNeeded: true)
    fields("activity", &activity)
    fields("type", &type)
    fields("app-name", &appName)
    fields("device-name", &deviceName)
    fields("total", &total)
    fields("phases", &phases)
    fields("size", &size)
    fields("error", &error)
  }
}

extension ContinuationTimes.Phase: BusField {}
