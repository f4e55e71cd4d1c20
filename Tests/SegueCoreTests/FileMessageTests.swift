import SegueCore
import Testing

/// The messages on a file's channel before its bytes.
@Suite struct FileMessageTests {
  private let request = FileRequest(
    continuation: Identifier(high: 1, low: 2), activity: Identifier(high: 3, low: 4), url: "file:///a")

  @Test func requestsComeBackAsTheyWere() throws {
    var rest = request
    (rest.offset, rest.version) = (17, [1, 2])
    for request in [request, rest] { #expect(try FileRequest.decode(try request.encode()) == request) }
  }

  /// Where the asker says nothing good of what it has, the file comes from its beginning.
  @Test func whatIsHereCountsOnlyAsAWhole() throws {
    let entries: [Value: Value] = [
      "kind": "file", "continuation": .uuid(request.continuation), "activity": .uuid(request.activity),
      "url": .string(request.url),
    ]
    let table: [[Value: Value]] = [
      ["offset": 3], ["version": .data([1])], ["offset": -1, "version": .data([1])],
      ["offset": "3", "version": .data([1])], ["offset": 3, "version": "x"],
    ]
    for more in table {
      let bytes = try CBOR.encode(.dictionary(entries.merging(more) { $1 }))
      #expect(try FileRequest.decode(bytes) == request)
    }
  }

  @Test func attack28_onlyAFilesURL() throws {
    for url in ["file:///a/../b", "file:///a%2fb", "/a", "http://a/b", "file:///a?b", "file://host/a", ""] {
      var wrong = request
      wrong.url = url
      #expect(throws: SegueError.self) { try FileRequest.decode(try wrong.encode()) }
    }
  }

  @Test(arguments: [0, 1]) func aVersionHasSoManyBytes(_ more: Int) throws {
    let version = [UInt8](repeating: 7, count: Limits.fileVersionLength + more)
    var long = request
    (long.offset, long.version) = (1, version)
    let head = FileHead.file(FileHead.Description(size: 9, version: version, offset: 0))
    if more == 0 {
      #expect(try FileRequest.decode(try long.encode()) == long)
      #expect(try FileHead.decode(try head.encode())?.head == head)
    } else {
      #expect(try FileRequest.decode(try long.encode()) == request)
      #expect(throws: SegueError.self) { _ = try FileHead.decode(try head.encode()) }
    }
  }

  @Test func headsComeBackAsTheyWere() throws {
    let head = FileHead.file(FileHead.Description(size: 9, version: [1], offset: 4))
    let bytes = try head.encode()
    for count in 0..<bytes.count { #expect(try FileHead.decode(Array(bytes[..<count])) == nil) }
    let (read, length) = try #require(try FileHead.decode(bytes + [1, 2, 3]))
    #expect(read == head && length == bytes.count)
    guard case .failure(let error)? = try FileHead.decode(try FileHead.failure(SegueError(.notFound)).encode())?.head
    else { throw SegueError(.system) }
    #expect(error.code == .notFound)
  }

  @Test func attack37_aHeadIsNotWaitedForWithoutBound() {
    for bytes: [UInt8] in [[0xff, 0xff, 0xff, 0xff], [0, 0, 0x10, 1], [0, 0, 0, 4, 1, 2, 3, 4]] {
      #expect(throws: SegueError.self) { _ = try FileHead.decode(bytes) }
    }
    let wrong = FileHead.file(FileHead.Description(size: 3, version: [], offset: 4))
    #expect(throws: SegueError.self) { _ = try FileHead.decode(try wrong.encode()) }
  }

  /// Its own device's user cannot have cancelled it there.
  @Test func theirCodesAreOurs() {
    #expect(SegueError(ofFileToldByOther: .userCancelled, words: "").code == .handoffFailed)
    for code in [SegueError.Code.notFound, .accessDenied, .invalidArgument, .handoffFailed, .limitExceeded, .system] {
      #expect(SegueError(ofFileToldByOther: code, words: "x").code == code)
    }
  }

  @Test func attack28_aNameIsOneElement() throws {
    for (url, name) in [
      ("file:///a/b.txt", "b.txt"), ("file:///", "file"), ("file:///...", "file"), ("file:///%e2%80%8b", "file"),
      ("file:///a/%0ab%1b", " b"), ("file:///.profile", ".profile"),
    ] {
      #expect(BroughtFile.name(for: try #require(FileURL(url))) == name)
    }
  }
}
