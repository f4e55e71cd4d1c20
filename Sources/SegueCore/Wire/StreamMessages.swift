// The messages on a stream's channel before its bytes: the request that opens it, and the head of the answer.

/// A stream's first message, on a channel of its own: the application that continues an activity wants a pair of byte
/// streams to the application that it came from.
public struct StreamRequest: ChannelOpening, Equatable, Sendable {
  /// By which the device has fetched the activity.
  public var continuation: Identifier
  public var activity: Identifier

  public init(continuation: Identifier, activity: Identifier) {
    self.continuation = continuation
    self.activity = activity
  }

  public init(_ fields: inout WireFields, _ own: StreamRequest?) throws(SegueError) {
    try fields.kind("stream")
    self.init(
      continuation: try fields("continuation", own?.continuation), activity: try fields("activity", own?.activity))
  }
}

/// The head of the answer, in front of the stream's bytes.
public enum StreamHead: ChannelHead, Equatable, Sendable {
  case accepted
  case failure(SegueError)

  public init(_ fields: inout WireFields, _ own: StreamHead?) throws(SegueError) {
    if let error = try fields.failure(own?.asFailure, SegueError.init(ofStreamToldByOther:words:)) {
      self = .failure(error)
    } else {
      try fields.kind("stream")
      self = .accepted
    }
  }

  private var asFailure: SegueError? { if case .failure(let error) = self { error } else { nil } }
}
