import SegueCore
import Testing

@Suite struct LinkMessageTests {
  let type = ActivityType("com.example.reading") ?? .browsingWeb

  func offer(_ title: String?) throws -> Offer {
    Offer(id: .random(), revision: 3, type: type, appID: try #require(AppID("com.example.Reader")), title: title)
  }

  @Test func attack21_offersRoundTripInBuckets() throws {
    for length in 0..<300 {
      let message = LinkMessage.offers(sequence: 7, [try offer(String(repeating: "x", count: length))])
      let bytes = try message.encode()
      #expect(bytes.count % 256 == 0)
      #expect(try LinkMessage.decode(bytes) == message)
    }
  }

  @Test func V11_whatWasContinuedRoundTripsWithItsApplication() throws {
    for name in ["com.example.Reader", "a.b"] {
      let message = LinkMessage.continued(
        .init(continuation: .random(), activity: .random(), appID: try #require(AppID(name)), inBrowser: name == "a.b"))
      #expect(try LinkMessage.decode(try message.encode()) == message)
    }
    // Which application it is about is not left out, nor of another kind.
    let entries: [Value: Value] = [
      "kind": "continued", "activity": .uuid(.random()), "continuation": .uuid(.random()), "app": "a.b",
    ]
    for app: Value? in [nil, 1, "none"] {
      var wrong = entries
      wrong["app"] = app
      #expect(throws: SegueError.self) { try LinkMessage.decode(try CBOR.encode(.dictionary(wrong))) }
    }
    #expect(throws: Never.self) { try LinkMessage.decode(try CBOR.encode(.dictionary(entries))) }
  }

  @Test func titlesFromAPeerAreCleaned() throws {
    let bytes = try LinkMessage.offers(sequence: 1, [try offer("a\n\u{202E}b")]).encode()
    guard case .offers(_, let offers) = try LinkMessage.decode(bytes) else { throw SegueError(.system, "no offers") }
    #expect(offers.first?.title == "a b")
  }

  @Test func snapshotRoundTripIncludingItsLargest() throws {
    let userInfo = try CBOR.encode([
      "a": .data([UInt8](repeating: 1, count: 60_000)), "b": .data(.init(repeating: 2, count: 40_000)),
    ])
    let answer = FetchAnswer.snapshot(
      Snapshot(
        id: .random(), revision: 1, type: type, title: "t", webpageURL: "https://a.b/", userInfo: userInfo,
        isStored: true, age: 7_000))
    #expect(try FetchAnswer.decode(try answer.encode()) == answer)
  }

  @Test func filesOfASnapshotHaveAURLAndNotItsText() throws {
    let entries: (Value) -> Value = { ["url": $0, "container": "c", "path": "a"] }
    let answer = FetchAnswer.snapshot(
      Snapshot(
        id: .random(), revision: 1, type: type, userInfo: try CBOR.encode([:]),
        files: [ContainerFile(url: "file:///a", container: "c", path: "a")]))
    let bytes = try answer.encode()
    #expect(try FetchAnswer.decode(bytes) == answer)
    let written = try CBOR.encode(entries(.url("file:///a")))
    let place = try #require(bytes.firstRange(of: written))
    // As text it takes other bytes; the head, whose length stands before it, becomes as much shorter.
    let text = try CBOR.encode(entries("file:///a"))
    var wrong = bytes
    wrong.replaceSubrange(place, with: text)
    wrong[3] -= UInt8(written.count - text.count)
    #expect(throws: SegueError.self) { try FetchAnswer.decode(wrong) }
  }

  @Test func everyTruncationAndMutationIsAnErrorOrAMessage() throws {
    let answer = FetchAnswer.snapshot(
      Snapshot(id: .random(), revision: 1, type: type, userInfo: try CBOR.encode(["page": 12])))
    let bytes = try answer.encode()
    for count in 0..<bytes.count {
      #expect(throws: SegueError.self) { try FetchAnswer.decode(Array(bytes[..<count])) }
    }
    for index in bytes.indices {
      var mutated = bytes
      mutated[index] ^= 0xff
      _ = try? FetchAnswer.decode(mutated)
    }
  }

  @Test func failureKeepsCodeAndSentences() throws {
    let answer = FetchAnswer.failure(SegueError(.remoteApplicationTimedOut, "Too slow.", advice: "Wait."))
    #expect(try FetchAnswer.decode(try answer.encode()) == answer)
  }

  @Test func garbageIsAProtocolViolation() {
    for bytes: [UInt8] in [[], [0], [0xff, 0xff, 0xff, 0xff], [0, 0, 0, 1, 0xa0], [0xa0]] {
      #expect(throws: SegueError.self) { try FetchAnswer.decode(bytes) }
      #expect(throws: SegueError.self) { try LinkMessage.decode(bytes) }
      #expect(throws: SegueError.self) { try FetchRequest.decode(bytes) }
    }
  }
}
