import SegueClient
import SegueCore

/// An activity of a process, as the runtime has it, and what the simulation knows of it when its process has ended.
final class VirtualActivity {
  let id: Identifier
  unowned let device: VirtualDevice
  unowned let process: VirtualProcess
  private(set) var history: ActivityHistory
  private var save = SaveMachine<UInt64>()
  /// Whether the activity's application does not answer a save; or answers it with an error.
  var hangs = false
  var isTooLarge = false
  var allowsSnapshot = false
  var isForSearch = false
  var supportsStreams = false
  /// Whether the files that its userInfo names may be brought, apart from the one in a container.
  var allowsFiles = false
  /// The file in a container that the activity's userInfo names, and its web page.
  var file: ContainerFile?
  var page: String?
  /// When the activity expires.
  var deadline: Instant?
  /// Whether the application has invalidated the activity, and the daemon has been told.
  var isEnded = false
  private(set) var isInvalid = false
  /// Counts the user's changes to the activity, and records the count at each revision.
  private(set) var content = 0
  private(set) var contents: [UInt64: Int] = [:]

  /// How many files the activity's userInfo names that no container carries.
  static let fileCount: UInt64 = 6
  /// The URL of a file in a container where it has arrived.
  static let fileHere = "file:///here"

  func names(_ url: String) -> Bool { (0..<Self.fileCount).contains { url == "file:///\($0)" } }

  /// The version of the activity's files, which change together with the activity.
  var fileVersion: [UInt8] { Array("\(content)".utf8) }

  /// The size of the file, in pieces.
  func size(of url: String, _ version: [UInt8]) -> UInt64 {
    (Array(url.utf8) + version).reduce(id.low) { $0 &* 31 &+ UInt64($1) } % 12
  }

  init(_ id: Identifier, of process: VirtualProcess, from source: ActivityReference?) {
    self.id = id
    self.process = process
    device = process.device
    history = ActivityHistory(continuedFrom: source)
  }

  /// Changes the activity. Returns whether its offer looks different then.
  func change() -> Bool {
    content += 1
    _ = save.handle(.needsSave(true))
    return history.stateChanged()
  }

  /// The activity is asked for its state. Returns the requests that are answered now.
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

  /// The activity was invalidated. One that has only expired may get another expiration date, and is then on offer
  /// again.
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
