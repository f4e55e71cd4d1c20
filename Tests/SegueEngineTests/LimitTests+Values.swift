import SegueCore
import SegueEngine
import Testing

/// Bounds that a value keeps by itself: at the bound, and one past it. docs/limits.md names the tests of each.
extension LimitTests {
  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  // MARK: Files

  /// Its part in an answer is 1 KiB.
  private func file(_ number: Int, longer: Int = 0) -> ContainerFile {
    let url = "file:///\(1000 + number)"
    return ContainerFile(url: url, container: "c", path: text(1024 - 48 - 1 - url.utf8.count + longer))
  }

  @Test func filesOfASnapshot() {
    let short = (0...Limits.filesPerSnapshot).map { ContainerFile(url: "file:///\($0)", container: "c", path: "a") }
    #expect(ContainerFile.fitting(Array(short.dropLast())).count == Limits.filesPerSnapshot)
    #expect(ContainerFile.fitting(short).count == Limits.filesPerSnapshot)
    let count = Limits.filesLength / 1024
    let files = (1..<count).map { file($0) }
    #expect(ContainerFile.fitting(files + [file(0)]).count == count)
    #expect(ContainerFile.fitting(files + [file(0, longer: 1)]).count == count - 1)
  }

  /// Every field that comes from another device counts.
  @Test func sizeOfACopy() throws {
    func size(_ snapshot: Snapshot) throws -> Int {
      StoredCopy(.snapshot, of: Offer(id: id(1), revision: 1, type: .browsingWeb, appID: try appID()))
        .stored(with: snapshot, at: 0, life: 1).size
    }
    let small = Snapshot(id: id(1), revision: 1, type: .browsingWeb, userInfo: [0xa0])
    let large = Snapshot(
      id: id(1), revision: 1, type: .browsingWeb, title: text(100), webpageURL: text(200),
      targetContentIdentifier: text(300), userInfo: [0xa0] + [UInt8](repeating: 0, count: 400), files: [file(0)],
      persistentIdentifier: text(500), keywords: [text(600)])
    #expect(try size(large) == size(small) + 2_100 + 1024)
  }

  @Test func pathsInAContainer() {
    let name = text(Limits.fileNameLength)
    #expect(ContainerPath(name) != nil)
    #expect(ContainerPath(name + "x") == nil)
    let folders = String(repeating: "a/", count: Limits.pathDepth - 1)
    #expect(ContainerPath(folders + "a") != nil)
    #expect(ContainerPath(folders + "a/a") == nil)
    let longest = String(repeating: name + "/", count: Limits.pathLength / (name.utf8.count + 1)) + name
    #expect(ContainerPath(String(longest.prefix(Limits.pathLength))) != nil)
    #expect(ContainerPath(String(longest.prefix(Limits.pathLength - 1)) + "xx") == nil)
  }

  // MARK: The store

  private func copies(
    _ count: Int, size: Int = 1, apps: Int = 1, _ kind: StoredCopy.Kind = .snapshot
  ) throws -> [StoredCopy] {
    try (0..<count).map { number in
      var copy = StoredCopy(
        kind,
        of: Offer(
          id: id(UInt64(number)), revision: 1, type: .browsingWeb, appID: try appID("com.example.A\(number % apps)")))
      copy.size = size
      copy.storedAt = UInt64(number)
      return copy
    }
  }

  @Test func storedCopies() throws {
    let bounds = StoreBounds()
    let most = Limits.storedCopiesPerApplication
    #expect(bounds.surplus(try copies(most)).isEmpty)
    #expect(bounds.surplus(try copies(most + 1)) == [try copies(1)[0].key])
    let states = Limits.storedStatesPerApplication
    #expect(bounds.surplus(try copies(states, .restoration) + copies(most)).isEmpty)
    #expect(bounds.surplus(try copies(states + 1, .restoration)) == [try copies(1, .restoration)[0].key])
    let all = Limits.storedCopies
    #expect(bounds.surplus(try copies(all, apps: 64)).isEmpty)
    #expect(bounds.surplus(try copies(all + 1, apps: 64)) == [try copies(1)[0].key])
    #expect(bounds.surplus(try copies(4, size: Limits.storedBytes / 4)).isEmpty)
    #expect(bounds.surplus(try copies(4, size: Limits.storedBytes / 4 + 1)) == [try copies(1)[0].key])
  }

  @Test func snapshots() {
    var plan = SnapshotPlan()
    var activity = DoorActivity(
      id: id(1), revision: 1, type: .browsingWeb, title: nil, webHost: nil, isEligible: true, allowsSnapshot: true)
    #expect(plan.current(activity, now: 0) == [.ask(id(1), .snapshot)])
    _ = plan.answered(id(1), .snapshot, now: 0)
    activity.isChanged = true
    let due = Instant(milliseconds: Limits.snapshotInterval)
    #expect(plan.current(activity, now: 2) == [.wake(due)])
    #expect(plan.timer(now: Instant(milliseconds: Limits.snapshotInterval - 1)) != [.ask(id(1), .snapshot)])
    #expect(plan.timer(now: due) == [.ask(id(1), .snapshot)])
  }

  // MARK: Times

  @Test(arguments: Times.keys.filter { !["StoredCopyTime", "AssociationInterval"].contains($0) })
  func settableTimes(_ key: String) throws {
    var times = Times()
    try times.read(try KeyFile(Array("[Limits]\n\(key)=\(Limits.settableTime)\n".utf8)))
    #expect(throws: SegueError.self) {
      try times.read(try KeyFile(Array("[Limits]\n\(key)=\(Limits.settableTime + 1)\n".utf8)))
    }
  }

  @Test func reconnecting() {
    var reconnection = Reconnection(patience: Limits.busAbsence)
    #expect(reconnection.failed(now: 0) == Limits.reconnectTimeFirst)
    #expect(reconnection.failed(now: 1) == Limits.reconnectTimeFirst * 2)
    #expect(reconnection.failed(now: Instant(milliseconds: Limits.busAbsence)) != nil)
    for _ in 0..<100 { #expect(reconnection.failed(now: 2) ?? 0 <= Limits.reconnectTime) }
    #expect(reconnection.failed(now: Instant(milliseconds: Limits.busAbsence + 1)) == nil)
  }

  @Test func notificationServers() {
    var starts = ServerStarts()
    var now: Instant = 0
    var pause = Limits.noticeStartTime
    for _ in 0..<10 {
      let (begins, again, after) = (
        starts.start(now: now), starts.start(now: now + (pause - 1)), starts.start(now: now + pause)
      )
      #expect(begins && !again && after)
      now = now + pause
      pause = min(pause * 2, Limits.noticeStartTimeMaximum)
      now = now + pause
      pause = min(pause * 2, Limits.noticeStartTimeMaximum)
    }
    #expect(pause == Limits.noticeStartTimeMaximum)
  }

  // MARK: Notifications

  private var application: Notice.Application { .none }

  private func offer(_ number: Int) -> OfferID { OfferID(device: .quiet, activity: id(UInt64(number))) }

  private func shown(_ effects: [Notices.Effect]) -> Int {
    effects.count { if case .show = $0 { true } else { false } }
  }

  @Test func noticesInAMinute() {
    let offered = (0...Limits.noticesPerMinute).map {
      Notices.Offered(id: offer($0), title: nil, origin: "desk", application: application)
    }
    var notices = Notices()
    #expect(shown(notices.handle(.offers(Array(offered.dropLast())), now: 0)) == Limits.noticesPerMinute)
    #expect(shown(notices.handle(.offers(offered), now: 1)) == 0)
  }

  @Test(arguments: [0, 1]) func noticesThatWait(_ more: Int) {
    var notices = Notices()
    for number in 0..<(Limits.noticesWaiting + more) {
      let offered = Notices.Offered(id: offer(number), title: nil, origin: "desk", application: application)
      _ = notices.handle(.notResponding(offered, continuation: id(UInt64(number))), now: 0)
      _ = notices.handle(.notShown(.continuation(id(UInt64(number)))), now: 0)
    }
    #expect(shown(notices.handle(.serverAppeared, now: 0)) == Limits.noticesWaiting)
  }

  // MARK: Text

  @Test(arguments: [
    Limits.titleAdvised, Limits.titleMaximum, Limits.sentenceLength, Limits.shownName, Limits.shownPath,
  ])
  func shownText(_ maximum: Int) {
    #expect(DisplayText.clean(text(maximum), maximum: maximum) == text(maximum))
    #expect(DisplayText.clean(text(maximum + 1), maximum: maximum) == text(maximum))
    // A scalar is not cut in two.
    #expect(DisplayText.clean(text(maximum - 1) + "é", maximum: maximum) == text(maximum - 1))
  }

  @Test func titles() throws {
    for (length, isTaken) in [(Limits.titleMaximum, true), (Limits.titleMaximum + 1, false)] {
      let offer = Offer(
        id: id(1), revision: 1, type: .browsingWeb, appID: try appID(), title: text(length))
      guard case .offers(_, let offers, _) = try LinkMessage.decode(LinkMessage.offers(sequence: 1, [offer]).encode())
      else { return }
      #expect((offers.first?.title == text(length)) == isTaken)
    }
  }

  @Test func offersOfADevice() throws {
    let offers = try (0...Limits.offersPerDevice).map {
      Offer(id: id(UInt64($0)), revision: 1, type: .browsingWeb, appID: try appID())
    }
    let most = try LinkMessage.offers(sequence: 1, Array(offers.dropLast())).encode()
    #expect(try LinkMessage.decode(most) == .offers(sequence: 1, Array(offers.dropLast())))
    #expect(throws: SegueError.self) {
      try LinkMessage.decode(try LinkMessage.offers(sequence: 1, offers).encode())
    }
  }

  @Test(arguments: [Limits.expiryTolerance - 1, Limits.expiryTolerance]) func expiriesThatAreTheSame(
    _ later: UInt64
  ) throws {
    func offer(_ timeLeft: UInt64) throws -> Offer {
      Offer(id: id(1), revision: 1, type: .browsingWeb, appID: try appID(), timeLeft: timeLeft)
    }
    var offers = RemoteOffers()
    #expect(offers.replace(.quiet, sequence: 1, offers: [try offer(10_000)], now: 0) == true)
    let changes = offers.replace(.quiet, sequence: 2, offers: [try offer(10_000 + later)], now: 0)
    #expect(changes == (later == Limits.expiryTolerance))
  }

  /// A device that announces other offers again and again is not remembered for all of them.
  @Test(arguments: [0, 1]) func formerOffersOfADevice(_ more: Int) throws {
    var offers = RemoteOffers()
    for number in 1...UInt64(Limits.offersPerDevice + more + 1) {
      let offer = Offer(id: id(number), revision: 1, type: .browsingWeb, appID: try appID())
      _ = offers.replace(.quiet, sequence: number, offers: [offer], now: 0)
    }
    #expect((offers.recent(id(1), now: 1) != nil) == (more == 0))
    #expect(offers.recent(id(2), now: 1) != nil)
  }

  @Test func titlesInANotice() {
    let longest = text(Limits.titleAdvised)
    func line(_ title: String) -> String? {
      let offered = Notices.Offered(id: offer(1), title: title, origin: "desk", application: application)
      var notices = Notices()
      for case .show(_, let notice) in notices.handle(.offers([offered]), now: 0) { return notice.lines.first }
      return nil
    }
    #expect(line(longest) == longest)
    #expect(line(longest + "y")?.hasSuffix("y") == false)
    #expect(line(longest + "y")?.utf8.count ?? 0 <= Limits.titleAdvised)
  }
}
