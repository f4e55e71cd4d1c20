// The messages on a stream's channel before its bytes: the request that opens it, and the head of the answer.

/// A stream's first message, on a channel of its own: the application that continues an activity wants a pair of byte
/// streams to the application that it came from.
public struct StreamRequest: Equatable, Sendable {
  /// The continuation by which the device has fetched the activity.
  public var continuation: Identifier
  public var activity: Identifier

  public init(continuation: Identifier, activity: Identifier) {
    self.continuation = continuation
    self.activity = activity
  }

  public func encode() throws(SegueError) -> [UInt8] {
    try CBOR.encode(
      .dictionary(["kind": "stream", "continuation": .uuid(continuation), "activity": .uuid(activity)]))
  }

  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> StreamRequest {
    let entries = try LinkMessage.dictionary(bytes)
    guard entries["kind"]?.string == "stream", let continuation = entries["continuation"]?.uuid,
      let activity = entries["activity"]?.uuid
    else { throw LinkMessage.malformed }
    return StreamRequest(continuation: continuation, activity: activity)
  }
}

/// The head of the answer, in front of the stream's bytes.
public enum StreamHead: Equatable, Sendable {
  case accepted
  case failure(SegueError)

  /// A big-endian length, and the head.
  public func encode() throws(SegueError) -> [UInt8] {
    let head: Value =
      switch self {
      case .accepted: .dictionary(["kind": "stream"])
      case .failure(let error):
        .dictionary([
          "kind": "failure", "code": .integer(Int64(error.code.rawValue)), "message": .string(error.message),
        ])
      }
    let bytes = try CBOR.encode(head)
    let length = UInt32(truncatingIfNeeded: bytes.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 &- 8 &* UInt32($0))) } + bytes
  }

  /// Reads the head from what has arrived so far. Nil: not all of it is here. `length`: where the stream's bytes begin.
  /// Throws `protocolViolation` for one that is too long, as soon as its length is known, or malformed.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> (head: StreamHead, length: Int)? {
    guard bytes.count >= 4 else { return nil }
    let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= Limits.streamHeadLength else { throw LinkMessage.malformed }
    guard length <= bytes.count &- 4 else { return nil }
    let head = try LinkMessage.dictionary(Array(bytes[4..<(4 &+ length)]))
    switch head["kind"]?.string {
    case "stream": return (.accepted, 4 &+ length)
    case "failure":
      guard let code = head["code"]?.integer.flatMap({ Int32(exactly: $0) }) else { throw LinkMessage.malformed }
      let error = SegueError(
        ofStreamToldByOther: SegueError.Code(rawValue: code), words: head["message"]?.string ?? "")
      return (.failure(error), 4 &+ length)
    default: throw LinkMessage.malformed
    }
  }
}
