import SegueCore
import SegueEngine
import Testing

struct ContainerFilesTests {
  private let table = ContainerTable(
    [("notes", "/lap/notes"), ("deep", "/lap/" + String(repeating: "d/", count: 200))].compactMap {
      Container(id: $0.0, path: $0.1)
    })

  private func snapshot(_ files: [ContainerFile], _ userInfo: Value = [:]) throws -> Snapshot {
    Snapshot(
      id: .random(), revision: 1, type: try #require(ActivityType("org.example.page")),
      userInfo: try CBOR.encode(userInfo), files: files)
  }

  private func file(_ path: String, url: String = "file:///desk/a", container: String = "notes") -> ContainerFile {
    ContainerFile(url: url, container: container, path: path)
  }

  private func error(_ body: () throws(SegueError) -> some Any) -> SegueError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func R8_everyFileURLIsFoundOnce() {
    let value: Value = [
      "a": .url("file:///1"), "b": .array([.url("FILE:2"), .set([.url("file:///3"), .url("http://4/")])]),
      .url("file:///5"): [.url("file:///1"): .string("file:///6")], "c": .data(Array("file:///7".utf8)),
    ]
    #expect(value.fileURLs == ["FILE:2", "file:///1", "file:///3", "file:///5"])
    #expect(Value.url("files:///1").fileURLs.isEmpty)
  }

  @Test func R8_valuesAndKeysAreReplacedAtAnyDepth() throws {
    let old = Value.url("file:///desk/a")
    let new = Value.url("file:///lap/a")
    let value: Value = [
      "a": old, "b": .array([.set([old, 1]), [old: [old: old]]]), "text": "file:///desk/a",
      "longer": .url("file:///desk/a/b"),
    ]
    #expect(
      try value.replacing([old: new]) == [
        "a": new, "b": .array([.set([new, 1]), [new: [new: new]]]), "text": "file:///desk/a",
        "longer": .url("file:///desk/a/b"),
      ])
    // Two forms of one letter are two URLs.
    #expect(try Value.url("file:///\u{E9}").replacing([.url("file:///e\u{301}"): new]) == .url("file:///\u{E9}"))
    #expect(throws: SegueError.self) { try ([old: 1, new: 2] as Value).replacing([old: new]) }
  }

  @Test func R8_whatIsBehindThePathStays() throws {
    for rest in ["", "/", "?a#b", "#", "/?q"] {
      let files = try WantedFile.files(of: snapshot([file("a b", url: "file:///desk/a" + rest)]), in: table)
      #expect(files.map(\.localURL) == ["file:///lap/notes/a%20b" + rest])
    }
    #expect(FileURL.split("file:///")?.rest == "")
    #expect(FileURL.split("file:///?a")?.rest == "?a")
    #expect(FileURL.split("file://other/a#b") == nil)
  }

  @Test(arguments: ["", "/etc/passwd", "..", "a/../../b", "./a", "a//b", "a/", "a\0"])
  func attack28_aPeersPathsDoNotLeadOut(_ path: String) throws {
    let snapshot = try snapshot([file(path)])
    #expect(
      error { () throws(SegueError) in try WantedFile.files(of: snapshot, in: table) }?.code == .protocolViolation)
  }

  @Test func R8_onlyFilesURLsAreReplaced() throws {
    for url in ["https://example.org/", "file://other/a", "file:a"] {
      let snapshot = try snapshot([file("a", url: url)])
      #expect(
        error { () throws(SegueError) in try WantedFile.files(of: snapshot, in: table) }?.code == .protocolViolation)
    }
  }

  @Test func R8_anUnknownContainerIsNamed() throws {
    let snapshot = try snapshot([file("a/b.txt", container: "x\u{202E}y")])
    let error = error { () throws(SegueError) in try WantedFile.files(of: snapshot, in: table) }
    #expect(error?.code == .handoffFailed)
    #expect(error?.message == "\"a/b.txt\" is in the shared folder \"xy\", which this device does not have.")
    #expect(error?.advice.isEmpty == false)
  }

  @Test func R8_oneFileTwice() throws {
    #expect(try WantedFile.files(of: snapshot([file("a"), file("a")]), in: table).count == 1)
    let two = try snapshot([file("a"), file("b")])
    #expect(error { () throws(SegueError) in try WantedFile.files(of: two, in: table) }?.code == .protocolViolation)
    let many = (0..<Limits.filesPerSnapshot).map { file("a", url: "file:///desk/\($0)") }
    #expect(try WantedFile.files(of: snapshot(many), in: table).count == Limits.filesPerSnapshot)
  }

  @Test func R8_aPathThatIsTooLongHere() throws {
    let path = String(repeating: String(repeating: "n", count: 255) + "/", count: 15) + "a"
    #expect(try WantedFile.files(of: snapshot([file(path)]), in: table).count == 1)
    let long = try snapshot([file(path, container: "deep")])
    #expect(error { () throws(SegueError) in try WantedFile.files(of: long, in: table) }?.code == .limitExceeded)
  }

  @Test func R8_userInfoIsRewrittenWithinItsLimits() throws {
    let url = Value.url("file:///desk/a")
    var localized = try snapshot([file("a")], ["file": url, url: "key"])
    localized = try localized.localized(WantedFile.files(of: localized, in: table))
    #expect(localized.files.isEmpty)
    #expect(
      try CBOR.decode(localized.userInfo) == [
        "file": .url("file:///lap/notes/a"), .url("file:///lap/notes/a"): "key",
      ])
    // A key has a bound of its own, which the path here may exceed.
    let long = try snapshot([file(String(repeating: "n", count: 120))], [url: 1])
    let files = try WantedFile.files(of: long, in: table)
    #expect(error { () throws(SegueError) in try long.localized(files) } != nil)
  }

  /// The error about a state that does not fit repeats no text of the other device.
  @Test func attack35_aStateThatDoesNotFitHereIsToldInOurWords() throws {
    let key: Value = "Your password is needed"
    let name = String(repeating: "n", count: 120)
    let byKey = try snapshot([file(name)], [key: [.url("file:///desk/a"): 1]])
    let large: Value = .array(Array(repeating: .url("file:///desk/a"), count: 2_000))
    for long in [byKey, try snapshot([file(name)], [key: large, "rest": .data([UInt8](repeating: 0, count: 60_000))])] {
      let files = try WantedFile.files(of: long, in: table)
      let error = try #require(error { () throws(SegueError) in try long.localized(files) })
      #expect(!error.message.contains("password") && error.message.contains("paths"), "\(error.message)")
    }
  }

  @Test func R8_theHeadOfAnAnswerHasRoom() throws {
    let long = String(repeating: "p", count: 2000)
    for files in [
      (0..<100).map { file("\($0)", url: "file:///desk/\($0)") },
      (0..<100).map { file(long, url: "file:///\(long)\($0)") },
    ] {
      let fitting = ContainerFile.fitting(files)
      #expect(!fitting.isEmpty && fitting.count <= Limits.filesPerSnapshot)
      #expect(fitting == Array(files.prefix(fitting.count)))
      // With all else as long as may be.
      var snapshot = try snapshot(fitting)
      snapshot.title = String(repeating: "t", count: Limits.titleMaximum)
      snapshot.webpageURL = "https://" + String(repeating: "u", count: Limits.urlMaximum - 8)
      snapshot.targetContentIdentifier = snapshot.title
      snapshot.userInfo = try CBOR.encode(
        .dictionary(["a": .data(Array(repeating: 0, count: 60_000)), "b": .data(Array(repeating: 0, count: 42_000))]))
      let answer = try FetchAnswer.snapshot(snapshot).encode()
      #expect(answer.count <= FetchAnswer.maximum)
      #expect(try FetchAnswer.decode(answer) == .snapshot(snapshot))
    }
  }
}
