import SegueCore
import SegueEngine

/// How a request for a file ended.
public enum FileOutcome: Hashable, Sendable {
  /// The file is on this device itself.
  case here
  /// The file is a copy: brought over one link; resumed, after a part came over an earlier link; or renewed, since the
  /// file had changed.
  case brought, resumed, renewed
  case failed(SegueError.Code)
  /// The application gave the request up, or has ended.
  case cancelled, exited
  /// The file's device is no longer paired; or the daemon that was asked has ended.
  case removed, orphaned

  public var name: String {
    if case .failed(let code) = self { code.name } else { "\(self)" }
  }
}

/// A request of a process for a file.
final class VirtualFile {
  unowned let process: VirtualProcess
  let session: SessionID
  /// The process's own number for the request.
  let number: UInt64
  let continuation: Identifier
  let activity: VirtualActivity
  let url: String
  private(set) var outcome: FileOutcome?
  /// Whether the daemon has asked the other device; whether it has resumed the file, or begun it anew, since then.
  var isAsked = false
  var isResumed = false
  var isRenewed = false
  private var isReplied = false
  private var world: Simulation { process.world }

  init(
    _ process: VirtualProcess, _ door: VirtualDoor, _ number: UInt64, _ account: Account, _ activity: VirtualActivity,
    _ url: String
  ) {
    self.process = process
    self.number = number
    self.activity = activity
    self.url = url
    session = door.session
    continuation = account.id
  }

  private var name: String { "file \(number) of \(process.name)" }

  /// The path of the copy.
  var path: String { "/cache/\(activity.id.low)\(url)" }

  // MARK: The process's callbacks

  func told(_ done: UInt64, of size: UInt64) {
    if isReplied { world.problem("\(name) goes on after its end") }
    if done > size { world.problem("\(name) has \(done) of \(size)") }
  }

  func replied(_ reply: Effect.Reply) {
    if isReplied { world.problem("\(name) has two replies") }
    isReplied = true
    switch reply {
    case .file(let file): end(came(file))
    case .failed(let error):
      world.note("  no file: \(error.message)")
      let isRemoved = error.code == .connectionUnavailable && !isOfPaired
      end(isRemoved ? .removed : .failed(error.code))
    default: world.problem("a request for a file was answered with \(reply)")
    }
  }

  private var isOfPaired: Bool { activity.device === process.device || process.device.isPaired(activity.device) }

  private func came(_ file: BroughtFile) -> FileOutcome {
    guard let version = file.digest else {
      if activity.device !== process.device, url != VirtualActivity.fileHere {
        world.problem("\(name) was not brought, and is not here")
      }
      return .here
    }
    if file.path != path { world.problem("\(name) is another one: \(file.path)") }
    if file.size != activity.size(of: url, version) { world.problem("\(name) is not whole") }
    return isRenewed ? .renewed : isResumed ? .resumed : .brought
  }

  /// Only the first outcome is reported to the process.
  func end(_ outcome: FileOutcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    process.files[number] = nil
    world.fileOutcomes[outcome, default: 0] += 1
  }

  func judge() {
    if outcome == nil { world.problem("\(name) has no reply") }
  }
}

/// A file on its way to a daemon, over all the links that it takes.
final class VirtualWantedFile {
  let file: VirtualFile
  let request: FileRequest
  unowned let origin: VirtualDevice
  var channel: ChannelID?
  /// The part that has arrived: so many pieces of this version.
  var count: UInt64 = 0
  var size: UInt64 = 0
  var version: [UInt8] = []
  var restarts = 0

  init(_ file: VirtualFile, _ request: FileRequest, from origin: VirtualDevice) {
    self.file = file
    self.request = request
    self.origin = origin
  }
}

/// A file on its way from a daemon, over one link.
final class VirtualGivenFile {
  let channel: ChannelID
  let request: FileRequest
  unowned let asker: VirtualDevice
  let activity: VirtualActivity
  /// The version of the file when it was opened.
  var version: [UInt8] = []
  var next: UInt64 = 0

  init(_ channel: ChannelID, _ request: FileRequest, for asker: VirtualDevice, of activity: VirtualActivity) {
    self.channel = channel
    self.request = request
    self.asker = asker
    self.activity = activity
  }

  var size: UInt64 { activity.size(of: request.url, version) }
}
