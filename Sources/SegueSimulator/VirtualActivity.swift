import SegueClient
import SegueCore

/// An activity of a process, as the runtime has it, and what the world knows of it when its process has gone.
final class VirtualActivity {
  let id: Identifier
  unowned let device: VirtualDevice
  unowned let process: VirtualProcess
  private(set) var history: ActivityHistory
  private var save = SaveMachine<UInt64>()
  /// It does not answer a save; or it answers with an error.
  var hangs = false
  var isTooLarge = false
  var allowsSnapshot = false
  var isForSearch = false
  var supportsStreams = false
  /// The files that its userInfo names, besides that in a container, may be brought.
  var allowsFiles = false
  /// A file in a container that its userInfo names, and its web page.
  var file: ContainerFile?
  var page: String?
  /// When it expires.
  var deadline: Instant?
  /// The application has invalidated it, and the daemon has been told.
  var isEnded = false
  private(set) var isInvalid = false
  /// Counts what the user has done to it, and says what was done at each revision.
  private(set) var content = 0
  private(set) var contents: [UInt64: Int] = [:]

  /// How many files its userInfo names that no container carries.
  static let fileCount: UInt64 = 6
  /// What a file in a container is called where it has arrived.
  static let fileHere = "file:///here"

  func names(_ url: String) -> Bool { (0..<Self.fileCount).contains { url == "file:///\($0)" } }

  /// What is done to the activity changes its files as well.
  var fileVersion: [UInt8] { Array("\(content)".utf8) }

  /// In pieces.
  func size(of url: String, _ version: [UInt8]) -> UInt64 {
    (Array(url.utf8) + version).reduce(id.low) { $0 &* 31 &+ UInt64($1) } % 12
  }

  init(_ id: Identifier, of process: VirtualProcess, from source: ActivityReference?) {
    self.id = id
    self.process = process
    device = process.device
    history = ActivityHistory(continuedFrom: source)
  }

  /// True if the offer looks different by it.
  func change() -> Bool {
    content += 1
    _ = save.handle(.needsSave(true))
    return history.stateChanged()
  }

  /// Asked for its state. Gives back who gets it now.
  func asked(_ request: UInt64) -> [UInt64] {
    var ready: [UInt64] = []
    var events: [SaveMachine<UInt64>.Event] = [.requested(request)]
    while let event = events.popLast() {
      for effect in save.handle(event) {
        switch effect {
        case .runRound:
          history.roundBegan()
          events.append(.roundEnded)
        case .answer(let requests): ready += requests
        }
      }
      if case .roundEnded = event { history.roundEnded() }
    }
    return ready
  }

  /// One that has only expired may be given another end, and is then on offer again.
  func wasInvalidated() { isInvalid = isEnded }

  func comesBack() { isInvalid = false }

  func snapshot() -> Snapshot {
    history.snapshotTaken()
    contents[history.revision] = content
    return Snapshot(
      id: id, revision: history.revision, type: process.type, webpageURL: page, userInfo: [0xa0],
      persistentIdentifier: isForSearch ? "\(id.low)" : nil)
  }

  func described(at now: Instant) -> DoorActivity {
    DoorActivity(
      id: id, revision: history.revision, type: process.type, title: nil,
      webHost: page.flatMap { WebURL($0)?.authority },
      isEligible: true,
      isEligibleForSearch: isForSearch, allowsSnapshot: allowsSnapshot,
      isChanged: history.isChanged,
      continuedFrom: history.continuedFrom, timeLeft: deadline.map { now.time(until: $0) })
  }
}
