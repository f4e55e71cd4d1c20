import SegueBus
import SegueControl
import SegueCore
import Testing

@Suite struct ControlValueTests {
  private let offer: Offer
  private let device: DeviceID

  init() throws {
    device = DeviceID(hash: Array(0..<32), check: [1, 2, 3, 4])
    offer = Offer(
      id: Identifier(high: 0x3f2a_91c0_0000_0000, low: 1), revision: 7,
      type: try #require(ActivityType("org.example.editing")), appID: try #require(AppID("org.example.Editor")),
      title: "Letter", webHost: "example.com")
  }

  /// Checks that a written value is read back, and that every attribute makes a difference.
  private func comesBack<T: ControlValue>(_ value: T, keys: Int) throws {
    let dictionary = value.dictionary
    #expect(try T(dictionary) == value)
    #expect(dictionary.entries.count == keys)
    for entry in dictionary.entries {
      var without = dictionary
      without[entry.key] = nil
      #expect((try? T(without)) != value, "\(T.self) does not read \(entry.key)")
      without[entry.key] = .double(1)
      #expect(throws: SegueError.self, "\(T.self) takes a number for \(entry.key)") { try T(without) }
    }
  }

  @Test func `every value is read as it was written`() throws {
    var row = OfferRow()
    (row.id, row.revision, row.type, row.appID) = ("1", 2, "type", "app")
    (row.webHost, row.title, row.appName, row.localApp) = ("host", "title", "name", "local")
    (row.candidates, row.needsChoice, row.deviceID, row.deviceName) = (["a", "b"], true, "device", "kitchen")
    (row.isHere, row.age, row.isStored, row.storedAge) = (true, 3, true, 4)
    row.isForBrowser = true
    (row.file, row.fileSentence) = ("given", "Its file can be brought from kitchen.")
    try comesBack(row, keys: 19)

    var activity = ActivityRow(offer, appName: "Editor", isWithheld: true)
    activity.revision = 9
    try comesBack(activity, keys: 8)

    var copy = StoredCopy(.search, of: offer, from: device)
    (copy.storedAt, copy.expiresAt, copy.size) = (10, 30, 5)
    var stored = StoredRow(copy, appName: "Editor", deviceName: "kitchen", now: 20)
    stored.isHere = true
    try comesBack(stored, keys: 13)

    var known = DeviceRow(id: device, name: "kitchen", addresses: ["host:1", "10.0.0.1:1"], isOnline: true)
    (known.learned, known.reached) = (["10.0.0.1:1"], "host:1")
    (known.reachedUs, known.seen, known.words, known.hint) = (1, 2, "words", "hint")
    (known.introducer, known.introducerName) = ("other", "desk")
    (known.receiving, known.takes) = ("open", ["text"])
    known.isWithheld = true
    try comesBack(known, keys: 15)
    try comesBack(SendOptions(offer: "1", text: "text"), keys: 2)
    if let id = PhoneID("valent:a") { try comesBack(PhoneRow(id, name: "Phone"), keys: 3) }
    var text = TextRow()
    (text.id, text.text, text.deviceID, text.deviceName, text.age) = ("1", "text", "device", "kitchen", 3)
    try comesBack(text, keys: 5)
    var introduction = IntroductionRow()
    (introduction.id, introduction.name, introduction.words) = ("id", "phone", "words")
    (introduction.addresses, introduction.introducer, introduction.introducerName) = (["host:1"], "other", "desk")
    try comesBack(introduction, keys: 6)
    try comesBack(ContinueOptions(activationToken: "token", app: "app"), keys: 2)
    try comesBack(Finding(severity: .error, message: "message", advice: "advice"), keys: 3)

    var status = DaemonStatus()
    (status.version, status.deviceID, status.deviceName, status.addresses) = ("1", "id", "name", ["host:1"])
    (status.connected, status.installed, status.devices, status.online) = (1, 2, 3, 4)
    (status.discovery, status.discoveryProblem, status.paired) = ("unavailable", "why", [known])
    (status.introductions, status.opensLinks, status.notes) = (5, true, ["an address is lacking"])
    (status.isPaused, status.pausedUntil, status.isPausedHere) = (true, 7, true)
    (status.withheld, status.withheldFrom) = (["org.example.Diary"], ["device"])
    try comesBack(status, keys: 19)
    try transfersComeBack()

    var link = WebLinkRow()
    (link.domain, link.appID, link.appName) = ("*.example.com", "app", "Reader")
    (link.isOpening, link.reason, link.sentence) = (true, "links-kept", "Why not.")
    try comesBack(link, keys: 6)
    try comesBack(WebLinkOptions(activationToken: "token", isInBrowser: true), keys: 2)
    try comesBack(DeviceIdentity(status), keys: 3)

    var explanation = ExplanationRow(offer, from: device, deviceName: "kitchen", appName: "Editor")
      .adding(true, "offered", "It is offered.")
    (explanation.deviceID, explanation.deviceName) = (device.description, "tv")
    (explanation.currentReason, explanation.warning, explanation.localApp) = ("reason", "warning", "app")
    try comesBack(explanation, keys: 14)

    var times = ContinuationTimes(chosen: 0)
    times.end(.choose, at: 5)
    let last = LastContinuation(
      offer.id, of: offer, appName: "Editor", deviceName: "kitchen", times: times, size: 6,
      error: SegueError(.handoffFailed, "why"))
    try comesBack(last, keys: 9)
    #expect(last.phases.map { $0.phase } == [.choose])
  }

  private func transfersComeBack() throws {
    var transfer = TransferRow()
    (transfer.id, transfer.kind, transfer.isIncoming, transfer.state) = ("file-1", "file", true, "open")
    (transfer.deviceID, transfer.deviceName, transfer.appID) = ("device", "kitchen", "app")
    (transfer.appName, transfer.name, transfer.done, transfer.size) = ("Editor", "a.txt", 1, 2)
    try comesBack(transfer, keys: 11)
    transfer.conceal()
    #expect(transfer.dictionary["name"] == nil)
    var continuation = ContinuationRow()
    (continuation.continuation, continuation.activity, continuation.deviceID) = ("1", "2", "device")
    (continuation.deviceName, continuation.appName) = ("kitchen", "Editor")
    try comesBack(continuation, keys: 5)
  }

  @Test func `what a later version says besides is passed over, what is needed is not`() throws {
    #expect(try DeviceRow(["id": .string("x"), "colour": .string("blue")]).id == "x")
    #expect(throws: SegueError.self) { try DeviceRow(["name": .string("kitchen")]) }
    #expect(throws: SegueError.self) { try OfferRow([:]) }
    #expect([DeviceRow].of(busValue: .array(elementSignature: "a{sv}", [.dictionary([:])])) == nil)
  }

  @Test func `on the session bus nothing is said of what an activity is about`() throws {
    func concealed<T: ControlValue>(_ value: T) -> BusDictionary {
      var value = value
      value.conceal()
      return value.dictionary
    }
    var explanation = ExplanationRow(offer, from: device, deviceName: "kitchen", appName: "Editor")
    explanation.currentReason = "Letter has the focus"
    var row = OfferRow()
    (row.id, row.title, row.webHost) = (offer.id.hex, offer.title, offer.webHost)
    let dictionaries = [
      concealed(row),
      concealed(ActivityRow(offer, appName: "Editor", isWithheld: false)),
      concealed(StoredRow(StoredCopy(.search, of: offer), appName: "Editor", deviceName: "", now: 0)),
      concealed(explanation),
    ]
    for dictionary in dictionaries {
      for key in ["title", "web-host", "current-reason"] { #expect(dictionary[key] == nil) }
      #expect(dictionary["id"] == .string(offer.id.hex))
    }
  }

  @Test func `a full store can be listed`() throws {
    var row = StoredRow(StoredCopy(.search, of: offer, from: device), appName: "Editor", deviceName: "kitchen", now: 0)
    row.title = String(repeating: "x", count: Limits.titleAdvised)
    let rows = Array(repeating: row, count: Limits.storedCopies)
    let answer = try message("Answer", [rows.busValue]).arguments()
    #expect(answer.first.flatMap { [StoredRow].of(busValue: $0) } == rows)
  }

  @Test func `choices of applications are read as they were written`() throws {
    let value = DefaultChoices.encode([offer.type: offer.appID])
    let pairs = try #require(DefaultChoices.decode(value))
    #expect(pairs.map { $0.type } == ["org.example.editing"] && pairs.map { $0.app } == ["org.example.Editor"])
    #expect(DefaultChoices.decode(.array(elementSignature: "{ss}", []))?.isEmpty == true)
    #expect(DefaultChoices.decode(nil) == nil)
    #expect(DefaultChoices.decode(.string("x")) == nil)
  }

  @Test func `a signal is read as it was written, and an unknown one is none`() throws {
    let signals: [ControlSignal] = [
      .offers, .stored, .devices, .pairing, .introductions, .links, .transfers,
      .continuation(id: "1", state: .notResponding),
    ]
    #expect(signals.map { $0.name } == ControlSignal.declared.map { $0.name })
    for signal in signals { #expect(ControlSignal(try message(signal.name, signal.values)) == signal) }
    #expect(ControlSignal(try message("Other", [])) == nil)
    #expect(ControlSignal(try message("ContinuationChanged", [.string("1"), .string("sleeping")])) == nil)
    #expect(ControlSignal(try message("ContinuationChanged", [])) == nil)
  }

  private func message(_ name: String, _ values: [BusValue]) throws -> Message {
    let message = Message.signal(
      path: SegueAddress.controlPath, interface: SegueAddress.controlInterface,
      member: try #require(MemberName(name)))
    try message.append(values)
    return message
  }
}
