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

  @Test func aNumberThatNoMessageCanCarryIsTheLargestThatOneCan() throws {
    let largest = UInt64(Int64.max)
    for number in [largest, largest + 1, largest + 2, .max] {
      var offer = try offer(nil)
      (offer.revision, offer.version, offer.timeLeft) = (number, number, number)
      offer.continuedFrom = ActivityReference(id: .random(), revision: number)
      let said = try LinkMessage.decode(try LinkMessage.offers(sequence: number, [offer]).encode())
      (offer.revision, offer.version, offer.timeLeft) = (largest, largest, largest)
      offer.continuedFrom?.revision = largest
      #expect(said == .offers(sequence: largest, [offer]))

      let request = FetchRequest(continuation: .random(), activity: .random(), appID: offer.appID, version: number)
      #expect(try FetchRequest.decode(try request.encode()).version == largest)
      let snapshot = Snapshot(
        id: .random(), revision: number, type: type, userInfo: try CBOR.encode([:]), isStored: true, age: number,
        saveTime: number)
      guard case .snapshot(let given) = try FetchAnswer.decode(try FetchAnswer.snapshot(snapshot).encode()) else {
        throw SegueError(.system, "no snapshot")
      }
      #expect([given.revision, given.age, given.saveTime] == [largest, largest, largest])
    }
  }

  @Test func O3_whereItsFileIsRoundTripsAndWhatIsMalformedCountsAsAbsent() throws {
    let mark: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    for file in [nil, OfferFile(folder: [], isGiven: false), OfferFile(folder: mark, isGiven: true)] {
      var offer = try offer("Book")
      offer.file = file
      let message = LinkMessage.offers(sequence: 1, [offer])
      #expect(try LinkMessage.decode(try message.encode()) == message)
    }
    let plain = try offer("Book")
    guard case .dictionary(let entries) = plain.field else { throw SegueError(.system, "no dictionary") }
    func said(_ folder: Value, _ gives: Value = true) -> OfferFile? {
      let offer = Offer.of(field: .dictionary(entries.merging(["folder": folder, "gives": gives]) { $1 }))
      #expect(offer?.id == plain.id, "the offer is lost")
      return offer?.file
    }
    #expect(said(.data(mark)) == OfferFile(folder: mark, isGiven: true))
    #expect(said(.data([]), 1) == OfferFile(folder: [], isGiven: false))
    for wrong: Value in [
      .data([1]), .data(mark + [9]), .data(Array(repeating: 0, count: 60_000)), "notes", 1, [:], true,
    ] {
      #expect(said(wrong) == nil)
    }
    // Without the folder, the other key says nothing.
    #expect(Offer.of(field: .dictionary(entries.merging(["gives": true]) { $1 })) == plain)
  }

  @Test func introductionsRoundTripUpToTheirLimits() throws {
    let device = DeviceID(hash: [UInt8](repeating: 7, count: 32), check: [31, 0, 1, 2])
    let list = (1...Limits.deviceAddresses + 1).map { LinkAddress(host: "10.0.0.\($0)", port: 1) }
    func message(_ name: String, _ count: Int) -> LinkMessage {
      .introduce(Introduction(device: device, name: name, addresses: Array(list.prefix(count))))
    }
    for count in [0, Limits.deviceAddresses] {
      #expect(try LinkMessage.decode(try message("phone", count).encode()) == message("phone", count))
    }
    #expect(throws: SegueError.self) { try LinkMessage.decode(try message("", Limits.deviceAddresses + 1).encode()) }
    let entries: [Value: Value] = [
      "kind": "introduce", "device": .data(device.bytes), "check": .data(device.check),
      "addresses": .array(["none", 1]),
      "name": .string("a\u{1b}b" + String(repeating: "x", count: 10_000)),
    ]
    // A name is cut and cleaned, as all that is shown.
    guard case .introduce(let said) = try LinkMessage.decode(try CBOR.encode(.dictionary(entries))) else {
      throw SegueError(.system, "It is another message.")
    }
    #expect(said.name.utf8.count <= Limits.titleAdvised && !said.name.contains("\u{1b}") && said.addresses.isEmpty)
    for (key, wrong): (Value, Value) in [
      ("device", .data([UInt8](repeating: 7, count: 31))), ("device", "phone"), ("check", .data([1, 2, 3])),
      ("check", .data([1, 2, 3, 32])), ("name", 1), ("addresses", "10.0.0.1:1"),
    ] {
      var bad = entries
      bad[key] = wrong
      #expect(throws: SegueError.self, "\(key)") { try LinkMessage.decode(try CBOR.encode(.dictionary(bad))) }
      bad[key] = nil
      #expect(throws: SegueError.self, "\(key)") { try LinkMessage.decode(try CBOR.encode(.dictionary(bad))) }
    }
  }

  @Test func addressesRoundTripUpToTheirLimit() throws {
    let list = (1...Limits.deviceAddresses).map { LinkAddress(host: $0 == 1 ? "2001:db8::1" : "10.0.0.\($0)", port: 1) }
    for count in [0, 1, Limits.deviceAddresses] {
      let message = LinkMessage.addresses(Array(list.prefix(count)))
      #expect(try LinkMessage.decode(try message.encode()) == message)
    }
    let more = LinkMessage.addresses(list + [LinkAddress(host: "10.0.0.99", port: 1)])
    #expect(throws: SegueError.self) { try LinkMessage.decode(try more.encode()) }
    for wrong: Value in ["10.0.0.1:1", 1, [:]] {
      #expect(throws: SegueError.self) {
        try LinkMessage.decode(try CBOR.encode(.dictionary(["kind": "addresses", "addresses": wrong])))
      }
    }
    // A scope needs brackets, with a colon before it or without.
    for text in ["[fe80::1%eth0]:1", "[a%b]:1", "[a]:1"] {
      let message = LinkMessage.addresses([try #require(LinkAddress(text))])
      #expect(try LinkMessage.decode(try message.encode()) == message, "\(text)")
    }
    // Entries that only a later version understands are left out.
    let some: Value = .array([1, "none", "10.0.0.1", "10.0.0.1:70000", "10.0.0.1:1"])
    #expect(
      try LinkMessage.decode(try CBOR.encode(.dictionary(["kind": "addresses", "addresses": some])))
        == .addresses([LinkAddress(host: "10.0.0.1", port: 1)]))
  }

  private func decoded(_ entries: [Value: Value]) throws -> LinkMessage {
    try LinkMessage.decode(try CBOR.encode(.dictionary(entries)))
  }

  @Test func X11_proposalsRoundTripUpToTheirLimit() throws {
    let long = String(repeating: "x", count: Limits.sentText)
    for content in [Proposal.Content.activity(.random()), .text("a\n\tb"), .text(long)] {
      let message = LinkMessage.propose(Proposal(id: .random(), content))
      let bytes = try message.encode()
      #expect(try LinkMessage.decode(bytes) == message && bytes.count <= Limits.frameLength)
    }
    let entries: [Value: Value] = ["kind": "propose", "proposal": .uuid(.random())]
    for text: Value? in [nil, 1, "", "\u{1}", .string(long + "x")] {
      #expect(throws: SegueError.self) { try decoded(entries.merging(text.map { ["text": $0] } ?? [:]) { $1 }) }
    }
    #expect(throws: SegueError.self) { try decoded(["kind": "propose", "text": "a"]) }
  }

  @Test func X11_answersToProposals() throws {
    let id = Identifier.random()
    for refusal in [nil, SegueError.Code.limitExceeded] {
      let message = LinkMessage.proposed(ProposalAnswer(to: id, refusal: refusal))
      #expect(try LinkMessage.decode(try message.encode()) == message)
    }
    let entries: [Value: Value] = ["kind": "proposed", "proposal": .uuid(id)]
    #expect(throws: SegueError.self) { try decoded(entries) }
    // A refusal without a code is one all the same.
    #expect(
      try decoded(entries.merging(["taken": false]) { $1 })
        == .proposed(ProposalAnswer(to: id, refusal: .handoffFailed)))
    #expect(try decoded(entries.merging(["taken": true, "code": 1]) { $1 }) == .proposed(ProposalAnswer(to: id)))
  }

  /// A later version may know more kinds.
  @Test func X11_kindsOfProposalsThatAreNotKnownAreLeftOut() throws {
    let some: Value = .array(["text", "picture", 1])
    let said = try decoded(["kind": "offers", "sequence": 1, "offers": [], "takes": some])
    #expect(said == .offers(sequence: 1, [], takes: [.text]))
    #expect(try decoded(["kind": "offers", "sequence": 1, "offers": [], "takes": 7]) == .offers(sequence: 1, []))
  }

  @Test func attack35_aTextFromAPeerIsCleaned() throws {
    let text = "a\u{1B}[2J\r\n\u{202E}b\tc"
    let said = try decoded(["kind": "propose", "proposal": .uuid(.random()), "text": .string(text)])
    guard case .propose(let proposal) = said else { throw SegueError(.system, "no proposal") }
    #expect(proposal.content == .text("a[2J\nb\tc"))
  }

  @Test func titlesFromAPeerAreCleaned() throws {
    let bytes = try LinkMessage.offers(sequence: 1, [try offer("a\n\u{202E}b")]).encode()
    guard case .offers(_, let offers, _) = try LinkMessage.decode(bytes) else { throw SegueError(.system, "no offers") }
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

  /// The texts about files have one bound for all together, not only the bound of each text.
  @Test func attack36_theFilesOfASnapshotTakeSoMuch() throws {
    func answer(longer: Int) throws -> FetchAnswer {
      let files = (0..<Limits.filesLength / 1024).map { number in
        let url = "file:///\(1000 + number)"
        let path = String(repeating: "x", count: 1024 - 48 - 1 - url.utf8.count + (number == 0 ? longer : 0))
        return ContainerFile(url: url, container: "c", path: path)
      }
      return .snapshot(
        Snapshot(id: .random(), revision: 1, type: type, userInfo: try CBOR.encode([:]), files: files))
    }
    let longest = try answer(longer: 0)
    #expect(try FetchAnswer.decode(try longest.encode()) == longest)
    #expect(throws: SegueError.self) { try FetchAnswer.decode(try answer(longer: 1).encode()) }
  }

  @Test(arguments: [0, 1]) func attack24_aSnapshotNamesSoManyFiles(_ more: Int) throws {
    let files = (0..<Limits.filesPerSnapshot + more).map {
      ContainerFile(url: "file:///\($0)", container: "c", path: "a")
    }
    let bytes = try FetchAnswer.snapshot(
      Snapshot(id: .random(), revision: 1, type: type, userInfo: try CBOR.encode([:]), files: files)
    ).encode()
    if more == 0 {
      guard case .snapshot(let snapshot) = try FetchAnswer.decode(bytes) else { throw SegueError(.system, "none") }
      #expect(snapshot.files == files)
    } else {
      let error = #expect(throws: SegueError.self) { try FetchAnswer.decode(bytes) }
      #expect(error?.code == .protocolViolation)
    }
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

  /// An answer as it arrives.
  private func arrived(_ answer: FetchAnswer) throws -> FetchAnswer { try FetchAnswer.decode(answer.encode()) }

  @Test func attack35_aFailureKeepsItsCodeAndIsToldInOurSentences() throws {
    func told(_ code: SegueError.Code, _ message: String) throws -> SegueError? {
      guard case .failure(let error) = try arrived(.failure(SegueError(code, message, advice: "Run this."))) else {
        return nil
      }
      return error
    }
    #expect(
      try told(.remoteApplicationTimedOut, "Too \"slow\".")
        == SegueError(
          .remoteApplicationTimedOut,
          "The application on the other device did not answer in time. The other device says: \"Too 'slow'\"."))
    // A message that says no more than the code does is not repeated.
    #expect(try told(.handoffFailed, "") == SegueError(.handoffFailed))
    for code in SegueError.Code.all {
      let error = try #require(try told(code, "x"))
      #expect(error.advice != "Run this.")
      #expect(error.code == code || error.code == .handoffFailed)
    }
    for code in [SegueError.Code.userCancelled.rawValue, SegueError.Code.wrongThread.rawValue, 0, -1, .max] {
      #expect(try told(.init(rawValue: code), "x")?.code == .handoffFailed)
    }
  }

  @Test func E2_aStateOverTheLimitIsRefused() throws {
    func snapshot(_ rest: Int) throws -> Snapshot {
      let parts = [Limits.valueLength, rest].map { Value.data([UInt8](repeating: 0, count: $0)) }
      return Snapshot(
        id: .random(), revision: 1, type: type, userInfo: try CBOR.encode(["a": parts[0], "b": parts[1]]))
    }
    let count = 1 << 15
    let rest = Limits.userInfoMaximum - (try snapshot(count).userInfo.count - count)
    let largest = FetchAnswer.snapshot(try snapshot(rest))
    #expect(try arrived(largest) == largest)
    let tooLarge = try snapshot(rest + 1)
    #expect(tooLarge.userInfo.count == Limits.userInfoMaximum + 1)
    #expect(throws: FetchAnswer.tooLarge) { try arrived(.snapshot(tooLarge)) }
  }

  @Test(arguments: ["javascript:x", "file:///a", "https://", "x", "https://a b/"])
  func attack29_aPageThatNoApplicationCouldSetIsRefused(url: String) throws {
    let snapshot = Snapshot(id: .random(), revision: 1, type: type, webpageURL: url, userInfo: [0xA0])
    #expect(throws: SegueError.self) { try arrived(.snapshot(snapshot)) }
  }

  @Test func attack25_theTargetIsCleaned() throws {
    var snapshot = Snapshot(
      id: .random(), revision: 1, type: type, targetContentIdentifier: "a\u{1B}\u{202E}b\n", userInfo: [0xA0])
    let answer = try arrived(.snapshot(snapshot))
    snapshot.targetContentIdentifier = "ab "
    #expect(answer == .snapshot(snapshot))
  }

  /// What an application here has saved is judged as what another device has sent, and goes no other way for it.
  @Test func aStateOfThisDeviceIsTakenAsOneThatArrived() throws {
    let good = Snapshot(
      id: .random(), revision: 7, type: type, title: "a\u{202E}b", webpageURL: "https://a.b/",
      targetContentIdentifier: "c\nd", userInfo: try CBOR.encode(["page": 12]),
      files: [ContainerFile(url: "file:///a", container: "c", path: "a")], document: .here, isStored: true, age: 3,
      saveTime: 4, persistentIdentifier: "p", keywords: ["k"])
    var snapshots = [good, good, good, good, good]
    snapshots[1].webpageURL = "file:///a"
    snapshots[2].targetContentIdentifier = String(repeating: "x", count: Limits.identifierLength + 1)
    snapshots[3].userInfo = try CBOR.encode([1])
    snapshots[4].userInfo = [UInt8](repeating: 0, count: Limits.userInfoMaximum + 1)
    for snapshot in snapshots {
      let here = Result { () throws(SegueError) in FetchAnswer.snapshot(try snapshot.received()) }
      let bytes = try FetchAnswer.snapshot(snapshot).encode()
      #expect(here == Result { () throws(SegueError) in try FetchAnswer.decode(bytes) })
    }
    #expect(throws: Never.self) { try good.received() }
  }

  @Test func garbageIsAProtocolViolation() {
    for bytes: [UInt8] in [[], [0], [0xff, 0xff, 0xff, 0xff], [0, 0, 0, 1, 0xa0], [0xa0]] {
      #expect(throws: SegueError.self) { try FetchAnswer.decode(bytes) }
      #expect(throws: SegueError.self) { try LinkMessage.decode(bytes) }
      #expect(throws: SegueError.self) { try FetchRequest.decode(bytes) }
    }
  }
}
