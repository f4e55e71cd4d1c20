import Glibc
import SegueBus
import SegueCore
import SegueRuntime
import SegueState

/// The application `org.segue.Files`: sends files of this device to others, and puts those that come into the folder for
/// downloads. One process for each user, which the session bus starts; it ends when there is nothing to do.
final class FilesService {
  private let loop: EventLoop
  private let folder: DoorFolder
  private let times: FilesTimes
  private let application: Application
  private let sendings: Sendings
  private let notices: FileNotices
  private var server: PeerServer?
  private var callers = 0
  private var receivings: [Receiving] = []
  /// Continuations whose files are not known yet.
  private var coming: Set<Identifier> = []
  private var watches: [LoopWatch] = []
  private var idle: LoopTimer?
  private var hasEnded = false

  /// Runs it, unless it runs already.
  static func run(_ times: FilesTimes) throws(SegueError) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    let folder: DoorFolder
    do throws(SegueError) {
      folder = try DoorFolder(try FilesDoor.folder())
    } catch {
      if error.code == .nameTaken { return 0 }
      throw error
    }
    try FilesService(folder, times).run()
    return 0
  }

  private init(_ folder: DoorFolder, _ times: FilesTimes) throws(SegueError) {
    guard let id = AppID(FilesDoor.appID), let type = ActivityType(FilesDoor.activityType) else {
      throw SegueError(.invalidArgument, "\(FilesDoor.appID) is not an application's id.")
    }
    self.folder = folder
    self.times = times
    loop = try EventLoop()
    application = try Application(appID: id, busAddress: nil, ownsAppID: false)
    sendings = Sendings(application, type, loop, times)
    notices = FileNotices(loop, times)
  }

  private func run() throws(SegueError) {
    server = try PeerServer(path: folder.path + "/" + FilesDoor.socket, on: loop) { [unowned self] in serve($0) }
    application.delegate.willContinue = { [unowned self] _, continuation in
      coming.insert(continuation.id)
      rest()
      return false
    }
    application.delegate.continueActivity = { [unowned self] _, activity, restoration in
      coming.remove(restoration.continuation.id)
      defer { rest() }
      return take(activity, from: String(cString: restoration.continuation.deviceNameText.pointer))
    }
    application.delegate.didFail = { [unowned self] _, continuation, _ in
      coming.remove(continuation.id)
      rest()
    }
    // Until the daemon knows it, what it was started for may be still to come.
    application.delegate.stateChanged = { [unowned self] _, _ in rest() }
    sendings.changed = { [unowned self] in rest() }
    notices.changed = { [unowned self] in rest() }
    watches = [try loop.watch(application.descriptor, .readable) { [unowned self] _ in _ = application.dispatch() }]
    application.ready()
    rest()
    while !hasEnded { loop.wait(milliseconds: -1) }
    server?.close()
    folder.remove(socket: FilesDoor.socket)
    notices.close()
    sendings.close()
    Handle.drop(Unmanaged.passRetained(ApplicationHandle(application)))
  }

  /// Ends the service when there has been nothing to do for a while.
  private func rest() {
    idle?.cancel()
    idle = nil
    guard application.status != .registering, sendings.isEmpty, coming.isEmpty, receivings.isEmpty, notices.isEmpty,
      callers == 0
    else { return }
    idle = loop.timer(after: times.idle) { [unowned self] in hasEnded = true }
  }

  static func log(_ text: String) {
    let line = Array("segue-files: \(DisplayText.clean(text, maximum: Limits.sentenceLength))\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  // MARK: Commands

  private func serve(_ caller: Connection) {
    callers += 1
    rest()
    caller.export(
      BusObject([
        BusInterface(
          FilesDoor.interface,
          methods: [
            BusMethod(
              FilesDoor.offer.string, in: [BusArgument("device", "s"), BusArgument("files", "as")],
              out: [BusArgument("sending", "t")]
            ) { [unowned self] in sendings.offer($0, $1) },
            BusMethod(
              FilesDoor.finish.string, in: [BusArgument("sending", "t")],
              out: [BusArgument("count", "u"), BusArgument("failures", "as")]
            ) { [unowned self] in sendings.finish($0, $1) },
          ])
      ]), at: FilesDoor.path)
    caller.setDisconnected { [unowned self, unowned caller] in
      callers -= 1
      sendings.left(caller)
      rest()
    }
  }

  // MARK: Files of other devices

  private func take(_ activity: Activity, from device: String) -> Bool {
    do throws(SegueError) {
      let receiving = try Receiving(activity, from: device, application, loop) { [unowned self] in came($0) }
      // It lives until all of its files are there.
      activity.retained()
      receivings.append(receiving)
      rest()
      receiving.advance()
      return true
    } catch {
      Self.log(error.message)
      return false
    }
  }

  private func came(_ receiving: Receiving) {
    receivings.removeAll { $0 === receiving }
    notices.show(receiving)
    application.invalidate(receiving.activity)
    rest()
  }
}
