import SegueBus
import SegueCore
import Testing

/// The dictionaries that cross the door as `a{sv}`, attribute by attribute, in their order.
@Suite struct BusRecordTests {
  private let id = Identifier(high: 1, low: 2)
  private let hex = BusValue.string("00000000000000010000000000000002")

  @Test func anActivity() throws {
    var activity = DoorActivity(
      id: id, revision: 3, type: .browsingWeb, title: nil, webHost: nil, isEligible: false)
    let least: [(String, BusValue)] = [
      ("id", hex), ("revision", .uint64(3)), ("type", .string("org.segue.BrowsingWeb")), ("eligible", .bool(false)),
      ("search", .bool(false)), ("allows-snapshot", .bool(false)), ("restoration", .bool(false)),
      ("changed", .bool(false)),
    ]
    #expect(activity.dictionary == BusDictionary(least))
    #expect(try DoorActivity(activity.dictionary) == activity)
    (activity.title, activity.webHost, activity.timeLeft, activity.reason) = ("t", "a.b", 4, "r")
    activity.continuedFrom = ActivityReference(id: id, revision: 5)
    (activity.file, activity.allowsFiles) = (FileURL(path: "/a b"), true)
    #expect(
      activity.dictionary
        == BusDictionary(
          least + [
            ("title", .string("t")), ("web-host", .string("a.b")), ("continued-from", hex),
            ("continued-revision", .uint64(5)), ("time-left", .uint64(4)), ("reason", .string("r")),
            ("file", .string("/a b")), ("allows-files", .bool(true)),
          ]))
    #expect(try DoorActivity(activity.dictionary) == activity)
    // What is of another type is not said; what is not said is as usual.
    let odd = BusDictionary([
      ("id", hex), ("type", .string("org.segue.BrowsingWeb")), ("revision", .string("3")), ("changed", .uint64(1)),
    ])
    #expect(
      try DoorActivity(odd)
        == DoorActivity(id: id, revision: 0, type: .browsingWeb, title: nil, webHost: nil, isEligible: true))
    for wrong in [BusDictionary(), ["id": hex], ["id": .string("x"), "type": .string("a.b")]] {
      #expect(throws: SegueError(.invalidArgument, "An activity needs an id and a type.")) { try DoorActivity(wrong) }
    }
    var long = activity.dictionary
    long["title"] = .string(String(repeating: "x", count: Limits.titleMaximum + 1))
    #expect(
      throws: SegueError(
        .invalidArgument, "An attribute is not text, or longer than \(Limits.titleMaximum) bytes.")
    ) { try DoorActivity(long) }
    for path in ["", "a", "/a/../b", "/" + String(repeating: "x", count: Limits.pathLength)] {
      var odd = activity.dictionary
      odd["file"] = .string(path)
      #expect(throws: SegueError.self, "\(path.prefix(9))") { try DoorActivity(odd) }
    }
  }

  @Test func aSnapshot() throws {
    var snapshot = Snapshot(id: id, revision: 3, type: .browsingWeb, userInfo: [0xA0])
    let least: [(String, BusValue)] = [
      ("id", hex), ("revision", .uint64(3)), ("type", .string("org.segue.BrowsingWeb")),
    ]
    #expect(try DoorSnapshot.encode(snapshot) == BusDictionary(least + [("user-info", .bytes([0xA0]))]))
    (snapshot.title, snapshot.webpageURL, snapshot.targetContentIdentifier) = ("t", "https://a.b/", "w")
    (snapshot.persistentIdentifier, snapshot.keywords) = ("p", ["k"])
    (snapshot.isStored, snapshot.age, snapshot.document) = (true, 4, .here)
    let all: [(String, BusValue)] = [
      ("title", .string("t")), ("webpage-url", .string("https://a.b/")), ("target", .string("w")),
      ("persistent-id", .string("p")), ("keywords", .strings(["k"])), ("stored", .bool(true)),
      ("stored-age", .uint64(4)), ("document", .bool(true)), ("user-info", .bytes([0xA0])),
    ]
    #expect(try DoorSnapshot.encode(snapshot) == BusDictionary(least + all))
    #expect(try DoorSnapshot.decode(BusDictionary(least + all)) == snapshot)
    for userInfo: BusValue? in [nil, .string("a"), .bytes([UInt8](repeating: 0, count: Limits.userInfoMaximum + 1))] {
      var wrong = BusDictionary(least)
      wrong["user-info"] = userInfo
      #expect(throws: SegueError(.protocolViolation, "A snapshot needs userInfo within its limit.")) {
        try DoorSnapshot.decode(wrong)
      }
    }
    snapshot.keywords = Array(repeating: "k", count: Limits.keywords + 1)
    #expect(throws: SegueError(.invalidArgument, "There are too many keywords, or they are too long.")) {
      try DoorSnapshot.decode(try DoorSnapshot.encode(snapshot))
    }
  }

  @Test func aBeginning() throws {
    let begin = DoorBegin(
      continuation: id, type: .browsingWeb, title: "t", deviceName: "d", timeLeft: 3, isStored: true, storedAge: 4)
    #expect(
      begin.dictionary == [
        "activity-type": .string("org.segue.BrowsingWeb"), "title": .string("t"), "device-name": .string("d"),
        "continuation": hex, "time-left": .uint64(3), "stored": .bool(true), "stored-age": .uint64(4),
      ])
    #expect(try DoorBegin(begin.dictionary) == begin)
    #expect(throws: SegueError(.protocolViolation, "The daemon did not say what is coming.")) {
      try DoorBegin(["continuation": hex])
    }
  }

  @Test func aBroughtFile() throws {
    let digest = [UInt8](repeating: 7, count: FileHead.digestLength)
    for file in [BroughtFile(path: "/a", size: 3, digest: digest), BroughtFile(path: "/a", size: 3, digest: nil)] {
      #expect(try BroughtFile(file.dictionary) == file)
    }
    for wrong: BusDictionary in [
      [:], ["path": .string("a")], ["path": .string("/a"), "digest": .bytes([7])],
      ["path": .string("/a"), "digest": .string("7")],
    ] {
      #expect(throws: SegueError(.protocolViolation, "What the daemon sent is not a file.")) { try BroughtFile(wrong) }
    }
  }

  @Test func options() {
    let launch = CallOptions(continuation: id, resumes: true, activationToken: "t")
    #expect(
      launch.dictionary == ["continuation": hex, "resumes": .bool(true), "activation-token": .string("t")])
    #expect(CallOptions(inBrowser: true, continuation: id).dictionary == ["browser": .bool(true), "continuation": hex])
    #expect(CallOptions(timeLeft: 3).dictionary == ["time-left": .uint64(3)])
    #expect(CallOptions(showsFailure: false).dictionary == ["shows-failure": .bool(false)])
    #expect(CallOptions(of: .dictionary(launch.dictionary)).activationToken == "t")
    for other: BusValue? in [nil, .string("a"), .dictionary(["activation-token": .bool(true), "x": .bool(true)])] {
      #expect(CallOptions(of: other).dictionary == [:])
    }
    let request = DoorSaveRequest(purpose: .search, version: 3, isLocal: true)
    #expect(
      request.dictionary == ["purpose": .string("search"), "version": .uint64(3), "local": .bool(true)])
    #expect(DoorSaveRequest(request.dictionary) == request)
    #expect(DoorSaveRequest(["purpose": .string("x")]) == DoorSaveRequest(purpose: .continuation))
    var place = DocumentPlace(activityType: .browsingWeb, viewerType: nil)
    place.container = "c"
    #expect(
      place.dictionary == ["activity-type": .string("org.segue.BrowsingWeb"), "container": .string("c")])
  }
}
