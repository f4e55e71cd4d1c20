import SegueCore
import Testing

@testable import SegueEngine

/// What an offer says of its activity's file before somebody chooses it.
@Suite struct OfferFileTests {
  private func trial() throws -> Trial {
    var trial = Trial(crypto: TestCrypto(1))
    try trial.pair()
    return trial
  }

  private func file(_ path: String = "/srv/me/a book.pdf") throws -> FileURL { try #require(FileURL(path: path)) }

  /// The application's current activity is about this file.
  private func show(_ trial: inout Trial, _ file: FileURL?, allowsFiles: Bool = false) throws -> [Effect] {
    trial.handle(.door(5, .registered(try appID(), .system)))
    var activity = DoorActivity(
      id: id(3), revision: 1, type: try type(), title: "A book", webHost: nil, isEligible: true)
    (activity.file, activity.allowsFiles) = (file, allowsFiles)
    return trial.handle(.door(5, .setCurrent(activity, 1)))
  }

  private func said(_ effects: [Effect]) -> OfferFile? { effects.sentOffers.last?.first?.file }

  // MARK: The origin

  @Test func O3_whatIsInNoSharedFolderSaysSo() throws {
    for allowsFiles in [false, true] {
      var trial = try trial()
      let effects = try show(&trial, try file(), allowsFiles: allowsFiles)
      // There is no shared folder, so nothing is looked for.
      #expect(effects.wantedFiles.isEmpty)
      #expect(said(effects) == OfferFile(folder: [], isGiven: allowsFiles))
    }
  }

  @Test func O3_theFolderIsLookedForAndNamedByAMarkThatNoOtherOfferHas() throws {
    var trial = try trial()
    trial.handle(.folders(["notes", "photos"]))
    // The offer waits for the answer, so that nobody is shown it twice.
    let effects = try show(&trial, try file())
    #expect(effects.wantedFiles == [try file()] && effects.sentOffers.isEmpty)
    #expect(try show(&trial, try file()).wantedFiles.isEmpty)
    let mark = try #require(said(trial.handle(.foundFile(id(3), try file(), .folder("notes"))))?.folder)
    #expect(mark.count == OfferFile.markLength)
    #expect(mark == trial.engine.folders.mark("notes", in: id(3)))
    #expect(mark != trial.engine.folders.mark("photos", in: id(3)))
    #expect(mark != trial.engine.folders.mark("notes", in: id(4)))
    // It is not looked for again while the file is the same.
    #expect(try show(&trial, try file()).wantedFiles.isEmpty)
    #expect(try show(&trial, try file("/other")).wantedFiles == [try file("/other")])
    // An answer that nobody waits for changes nothing.
    #expect(trial.handle(.foundFile(id(3), try file(), .folder("notes"))).isEmpty)
    #expect(trial.handle(.foundFile(id(9), try file(), .outside)).isEmpty)
    #expect(said(trial.handle(.foundFile(id(3), try file("/other"), .outside)))?.folder == [])
    #expect(trial.handle(.foundFile(id(3), try file("/other"), .folder("notes"))).isEmpty)
  }

  @Test func anOfferWhoseFileSystemDoesNotAnswerSaysNothing() throws {
    var trial = try trial()
    trial.handle(.folders(["notes"]))
    _ = try show(&trial, try file())
    let sent = trial.handle(.foundFile(id(3), try file(), .unknown)).sentOffers
    #expect(sent.map { $0.map { $0.id } } == [[id(3)]] && sent.first?.first?.file == nil)
  }

  @Test func whatEndsWhileItsFileIsLookedForIsNotOnOffer() throws {
    var trial = try trial()
    trial.handle(.folders(["notes"]))
    _ = try show(&trial, try file())
    trial.handle(.door(5, .invalidate(id(3))))
    #expect(trial.handle(.foundFile(id(3), try file(), .outside)).isEmpty)
  }

  @Test func O3_otherFoldersAreLookedThroughAnew() throws {
    var trial = try trial()
    _ = try show(&trial, try file())
    #expect(trial.handle(.folders(["notes"])).wantedFiles == [try file()])
    #expect(trial.handle(.folders(["notes", "photos"])).wantedFiles == [try file()])
    #expect(said(trial.handle(.foundFile(id(3), try file(), .folder("notes"))))?.folder.isEmpty == false)
    #expect(said(trial.handle(.folders([])))?.folder == [])
  }

  @Test func anActivityWithoutAFileSaysNothing() throws {
    var trial = try trial()
    #expect(said(try show(&trial, nil)) == nil)
  }

  @Test func O3_whatHasEndedGivesNoFile() throws {
    var trial = try trial()
    _ = try show(&trial, try file(), allowsFiles: true)
    #expect(trial.engine.origin.local.entries[id(3)]?.offer.file?.isGiven == true)
    try trial.give(9, 3)
    trial.handle(.door(5, .left))
    #expect(trial.engine.origin.local.entries[id(3)]?.offer.file?.isGiven != true)
  }

  // MARK: The device that may continue it

  /// The other device's offer is about a file.
  private func offered(_ trial: inout Trial, _ file: OfferFile?, sequence: UInt64 = 1) throws -> [Effect] {
    var offer = Offer(id: id(3), revision: 1, type: try type(), appID: try appID(), title: "A book")
    offer.file = file
    return trial.handle(.link(.message(Trial.other, .offers(sequence: sequence, [offer]))))
  }

  private func lines(_ effects: [Effect]) -> [String]? {
    for case .showNotice(_, let notice) in effects { return notice.lines }
    return nil
  }

  private let elsewhere = "Its file is on desk, in no folder that both devices share"
  private let given = "Its file can be brought from desk"

  @Test func O3_everyoneWhoShowsItSaysThatItsFileIsNotHere() throws {
    for (isGiven, sentence, place) in [(false, elsewhere, FilePlace.elsewhere), (true, given, .given)] {
      var trial = try trial()
      trial.handle(.folders(["notes"]))
      let foreign = try #require(trial.engine.folders.mark("photos", in: id(3)))
      for (sequence, folder) in [[], foreign].enumerated() {
        let effects = try offered(
          &trial, OfferFile(folder: folder, isGiven: isGiven), sequence: UInt64(sequence) + 1)
        if sequence == 0 { #expect(lines(effects) == ["A book", "From desk", sentence]) }
        #expect(trial.engine.list(at: trial.moment).map { $0.file } == [place])
        #expect(trial.engine.shown(at: trial.moment).map { $0.details } == [["From desk", sentence]])
        #expect(
          try trial.engine.explain("", at: trial.moment).map { $0.sentence }.first?.hasSuffix(" \(sentence).") == true)
      }
    }
  }

  @Test func O3_whatIsInAFolderThatBothShareNeedsNoWords() throws {
    var trial = try trial()
    trial.handle(.folders(["photos", "notes"]))
    let mark = try #require(trial.engine.folders.mark("notes", in: id(3)))
    let effects = try offered(&trial, OfferFile(folder: mark, isGiven: false))
    #expect(lines(effects) == ["A book", "From desk"])
    #expect(trial.engine.list(at: trial.moment).map { $0.file } == [.shared])
    // The folder is not shared any more.
    #expect(lines(trial.handle(.folders(["photos"]))) == ["A book", "From desk", elsewhere])
    #expect(trial.engine.list(at: trial.moment).map { $0.file } == [.elsewhere])
  }

  @Test func anOfferThatDoesNotSayIsShownAsBefore() throws {
    var trial = try trial()
    #expect(lines(try offered(&trial, nil)) == ["A book", "From desk"])
    #expect(trial.engine.list(at: trial.moment).map { $0.file } == [nil])
  }

  // MARK: The file that a state is about

  @Test func whichFileAStateIsAbout() throws {
    let reading = try type("org.segue.open.Reading")
    let (one, two): (Value, Value) = (.url("file:///a%20b"), .url("file:///c#page=2"))
    func path(_ userInfo: [Value: Value], _ type: ActivityType) -> String? {
      FileURL(aboutWhich: userInfo, type)?.path
    }
    #expect(path(["uri": one], reading) == "/a b")
    #expect(path(["uri": one, FileURL.documentKey: two], reading) == "/c")
    #expect(path(["uri": one], try type()) == nil)
    #expect(path([FileURL.documentKey: one], try type()) == "/a b")
    // Text that looks like a URL is text, as it is where files are mapped.
    for other: Value in ["file:///a", .url("https://example.org/a"), .url("file://other/a"), .url("file:///a/../b"), 1]
    {
      #expect(path(["uri": other], reading) == nil)
    }
    #expect(path([:], reading) == nil)
  }
}
