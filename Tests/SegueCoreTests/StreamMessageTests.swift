import SegueCore
import Testing

/// The messages on a stream's channel before its bytes.
@Suite struct StreamMessageTests {
  @Test func aRequestRoundTrips() throws {
    let request = StreamRequest(continuation: .random(), activity: .random())
    #expect(try StreamRequest.decode(try request.encode()) == request)
    #expect(try ChannelRequest(try request.encode()).kind == "stream")
    for lacking: Value in ["kind", "continuation", "activity"] {
      var entries: [Value: Value] = [
        "kind": "stream", "continuation": .uuid(.random()), "activity": .uuid(.random()), "more": 1,
      ]
      #expect(throws: Never.self) { try StreamRequest.decode(try CBOR.encode(.dictionary(entries))) }
      entries[lacking] = nil
      #expect(throws: SegueError.self) { try StreamRequest.decode(try CBOR.encode(.dictionary(entries))) }
      entries[lacking] = 1
      #expect(throws: SegueError.self) { try StreamRequest.decode(try CBOR.encode(.dictionary(entries))) }
    }
  }

  /// The head may come in any pieces, and the stream's bytes right behind it.
  @Test func theHeadIsFoundInFrontOfTheBytes() throws {
    let head = try StreamHead.accepted.encode()
    for count in 0..<head.count { #expect(try StreamHead.decode(Array(head[..<count])) == nil) }
    let read = try #require(try StreamHead.decode(head + [1, 2, 3]))
    #expect(read.head == .accepted && read.length == head.count)
  }

  /// The code counts; the sentence is this device's, with the other one's words behind it.
  @Test(arguments: [
    SegueError.Code.notFound, .accessDenied, .limitExceeded, .notHandled, .remoteApplicationTimedOut, .system,
  ])
  func T1_aRefusalSaysWhy(_ code: SegueError.Code) throws {
    let refusal = StreamHead.failure(SegueError(code, "It has no delegate."))
    guard case .failure(let error) = try StreamHead.decode(try refusal.encode())?.head else {
      throw SegueError(.system, "no failure")
    }
    #expect(error.code == code && error.message.hasSuffix("The other device says: \"It has no delegate\"."))
  }

  /// A head that is announced as longer than may be is refused at once, whatever follows.
  @Test(arguments: [UInt32(Limits.streamHeadLength) + 1, .max])
  func attack37_aHeadIsNotWaitedForWithoutBound(_ length: UInt32) throws {
    let announced = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) }
    #expect(throws: SegueError.self) { try StreamHead.decode(announced) }
    let longest = [0, 0, UInt8(Limits.streamHeadLength >> 8), UInt8(Limits.streamHeadLength & 0xff)]
    #expect(try StreamHead.decode(longest) == nil)
  }

  @Test(
    arguments: [
      [:], ["kind": "snapshot"], ["kind": 1], ["kind": "failure"], ["kind": "failure", "code": .integer(1 << 40)],
    ] as [[Value: Value]])
  func aMalformedHeadIsNone(_ entries: [Value: Value]) throws {
    let bytes = try CBOR.encode(.dictionary(entries))
    #expect(throws: SegueError.self) { try StreamHead.decode([0, 0, 0, UInt8(bytes.count)] + bytes) }
  }
}
