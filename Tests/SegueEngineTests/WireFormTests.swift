import SegueCore
import SegueEngine
import Testing

/// Each message, in the very entries that docs/link-protocol.md lists.
@Suite struct WireFormTests {
  private let continuation = Identifier(high: 1, low: 2)
  private let activity = Identifier(high: 3, low: 4)
  private let type = ActivityType("com.example.reading") ?? .browsingWeb

  private func dictionary(_ bytes: [UInt8]) throws -> [Value: Value] { try #require(try CBOR.decode(bytes).dictionary) }

  private func withoutPadding(_ message: LinkMessage) throws -> [Value: Value] {
    var entries = try dictionary(try message.encode())
    #expect(entries.removeValue(forKey: "padding")?.data?.allSatisfy { $0 == 0 } == true)
    return entries
  }

  /// Whether these are a head of those entries, and what stands behind it.
  private func isHead(_ bytes: [UInt8], _ head: [Value: Value], _ rest: [UInt8] = []) throws -> Bool {
    let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    return try dictionary(Array(bytes[4..<4 + length])) == head && bytes[(4 + length)...].elementsEqual(rest)
  }

  @Test func requests() throws {
    let common: [Value: Value] = ["continuation": .uuid(continuation), "activity": .uuid(activity)]
    var fetch = FetchRequest(continuation: continuation, activity: activity, appID: try appID())
    let fetched = common.merging(["kind": "fetch", "app": "com.example.Reader", "version": 0]) { $1 }
    #expect(try dictionary(try fetch.encode()) == fetched)
    (fetch.version, fetch.isForKeeping) = (3, true)
    #expect(try dictionary(try fetch.encode()) == fetched.merging(["version": 3, "keep": true]) { $1 })

    let stream = StreamRequest(continuation: continuation, activity: activity)
    #expect(try dictionary(try stream.encode()) == common.merging(["kind": "stream"]) { $1 })

    var file = FileRequest(continuation: continuation, activity: activity, url: "file:///a")
    let filed = common.merging(["kind": "file", "url": "file:///a"]) { $1 }
    #expect(try dictionary(try file.encode()) == filed)
    (file.offset, file.version) = (3, [7])
    #expect(try dictionary(try file.encode()) == filed.merging(["offset": 3, "version": .data([7])]) { $1 })
  }

  @Test func heads() throws {
    let failure: [Value: Value] = ["kind": "failure", "code": 9002, "message": "gone"]
    let error = SegueError(.notFound, "gone", advice: "none")
    #expect(try isHead(try FetchAnswer.failure(error).encode(), failure))
    #expect(try isHead(try StreamHead.failure(error).encode(), failure))
    #expect(try isHead(try FileHead.failure(error).encode(), failure))
    #expect(try isHead(try StreamHead.accepted.encode(), ["kind": "stream"]))
    let file = FileHead.Description(size: 9, version: [1], offset: 4)
    #expect(
      try isHead(try FileHead.file(file).encode(), ["kind": "file", "size": 9, "version": .data([1]), "offset": 4]))
  }

  @Test func snapshots() throws {
    var snapshot = Snapshot(id: activity, revision: 5, type: type, userInfo: [0xA0])
    let least: [Value: Value] = [
      "kind": "snapshot", "activity": .uuid(activity), "type": "com.example.reading", "revision": 5,
    ]
    #expect(try isHead(try FetchAnswer.snapshot(snapshot).encode(), least, [0xA0]))
    (snapshot.title, snapshot.webpageURL, snapshot.targetContentIdentifier) = ("t", "https://a.b/", "w")
    (snapshot.isStored, snapshot.age, snapshot.saveTime) = (true, 6, 7)
    snapshot.files = [ContainerFile(url: "file:///a", container: "c", path: "a")]
    (snapshot.persistentIdentifier, snapshot.keywords, snapshot.document) = ("p", ["k"], .here)
    let all = least.merging([
      "title": "t", "url": "https://a.b/", "target": "w", "stored": true, "age": 6, "saved": 7,
      "files": [["url": .url("file:///a"), "container": "c", "path": "a"]],
    ]) { $1 }
    #expect(try isHead(try FetchAnswer.snapshot(snapshot).encode(), all, [0xA0]))
    #expect(snapshot.files[0].stored == ["url": "file:///a", "container": "c", "path": "a"])
    #expect(ContainerFile.of(stored: snapshot.files[0].stored) == snapshot.files[0])
    #expect(ContainerFile.of(stored: ["url": .url("file:///a"), "container": "c", "path": "a"]) == nil)
  }

  @Test func offers() throws {
    var offer = Offer(id: activity, revision: 5, type: type, appID: try appID())
    let least: [Value: Value] = [
      "id": .uuid(activity), "revision": 5, "type": "com.example.reading", "app": "com.example.Reader", "version": 0,
      "tier": 0,
    ]
    func said() throws -> [Value: Value] { try withoutPadding(.offers(sequence: 8, [offer])) }
    #expect(try said() == ["kind": "offers", "sequence": 8, "offers": [.dictionary(least)]])
    (offer.title, offer.webHost, offer.version, offer.tier, offer.team) = ("t", "a.b", 2, .sandbox, "m")
    (offer.isChanged, offer.isSnapshot, offer.mayBeKept, offer.timeLeft, offer.age) = (true, true, true, 3, 4)
    offer.continuedFrom = ActivityReference(id: continuation, revision: 9)
    let all = least.merging([
      "title": "t", "host": "a.b", "version": 2, "tier": 2, "team": "m", "changed": true, "from": .uuid(continuation),
      "fromrevision": 9, "life": 3, "age": 4, "stored": true, "keep": true,
    ]) { $1 }
    #expect(try said() == ["kind": "offers", "sequence": 8, "offers": [.dictionary(all)]])
  }

  @Test func otherMessages() throws {
    let notice = ContinuedNotice(
      continuation: continuation, activity: activity, appID: try appID(), inBrowser: false)
    #expect(
      try withoutPadding(.continued(notice)) == [
        "kind": "continued", "continuation": .uuid(continuation), "activity": .uuid(activity),
        "app": "com.example.Reader", "browser": false,
      ])
    #expect(
      try withoutPadding(.acknowledged(continuation: continuation)) == [
        "kind": "acknowledged", "continuation": .uuid(continuation),
      ])
    let addresses = [LinkAddress(host: "::1", port: 2)]
    #expect(try withoutPadding(.addresses(addresses)) == ["kind": "addresses", "addresses": ["[::1]:2"]])
    #expect(
      try withoutPadding(.introduce(Introduction(device: .quiet, name: "n", addresses: addresses))) == [
        "kind": "introduce", "device": .data(DeviceID.quiet.bytes), "check": .data(DeviceID.quiet.check), "name": "n",
        "addresses": ["[::1]:2"],
      ])
  }

  @Test func proposals() throws {
    #expect(
      try withoutPadding(.offers(sequence: 8, [], takes: [.activity, .text])) == [
        "kind": "offers", "sequence": 8, "offers": [], "takes": ["activity", "text"],
      ])
    #expect(
      try withoutPadding(.propose(Proposal(id: continuation, .activity(activity)))) == [
        "kind": "propose", "proposal": .uuid(continuation), "activity": .uuid(activity),
      ])
    #expect(
      try withoutPadding(.propose(Proposal(id: continuation, .text("a\nb")))) == [
        "kind": "propose", "proposal": .uuid(continuation), "text": "a\nb",
      ])
    #expect(
      try withoutPadding(.proposed(ProposalAnswer(to: continuation))) == [
        "kind": "proposed", "proposal": .uuid(continuation), "taken": true,
      ])
    #expect(
      try withoutPadding(.proposed(ProposalAnswer(to: continuation, refusal: .accessDenied))) == [
        "kind": "proposed", "proposal": .uuid(continuation), "taken": false, "code": 9004,
      ])
  }

  @Test func journal() throws {
    var journal = ContinuationJournal()
    let offer = Offer(id: activity, revision: 5, type: type, appID: try appID())
    journal.note(
      .init(id: continuation, offer: offer, source: .here, appID: nil, boot: "b", fetchUntil: 6, until: 7))
    journal.note(
      .init(
        id: activity, offer: offer, source: .device(.quiet), appID: try appID(), boot: "b", fetchUntil: 6, until: 7,
        isDelivered: true, revision: 8))
    let notice = ContinuedNotice(
      continuation: continuation, activity: activity, appID: try appID(), inBrowser: true)
    journal.tell(.quiet, notice)
    journal.take(activity, of: nil, revision: 9)
    let said: Value = [
      "id": .uuid(activity), "revision": 5, "type": "com.example.reading", "app": "com.example.Reader", "version": 0,
      "tier": 0,
    ]
    #expect(
      try dictionary(try journal.encode()) == [
        "version": 1, "apps": [], "given": [],
        "running": [
          [
            "id": .uuid(continuation), "offer": said, "source": "here", "app": "", "boot": "b", "fetch": 6, "until": 7,
            "delivered": false,
          ],
          [
            "id": .uuid(activity), "offer": said, "source": .string(DeviceID.quiet.description),
            "app": "com.example.Reader", "boot": "b", "fetch": 6, "until": 7, "delivered": true, "revision": 8,
          ],
        ],
        "untold": [
          [
            .string(DeviceID.quiet.description),
            [
              "continuation": .uuid(continuation), "activity": .uuid(activity), "app": "com.example.Reader",
              "browser": true,
            ],
          ]
        ],
        "taken": [["here", .data(activity.bytes + Identifier(high: 0, low: 9).bytes)]],
      ])
    #expect(try ContinuationJournal.decode(try journal.encode()) == journal)
  }
}
