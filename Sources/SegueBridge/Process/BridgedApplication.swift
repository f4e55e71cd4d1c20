import SegueBus
import SegueCore
import SegueRuntime
import SegueState

/// One program as an application of Segue: what it announces is the activity, and what is continued here goes to it.
final class BridgedApplication {
  private let program: BridgedProgram
  private let bridge: Bridge
  /// Whether other devices may have the files that its state names.
  private let givesFiles: Bool
  private let loop: EventLoop
  private let application: Application
  private let type: ActivityType
  private var activity: Activity?
  private var watch: LoopWatch?
  private let log: (String) -> Void
  /// Shows the user a sentence.
  private let tell: (String) -> Void

  init(
    _ program: BridgedProgram, _ bridge: Bridge, givesFiles: Bool, on loop: EventLoop,
    log: @escaping (String) -> Void, tell: @escaping (String) -> Void
  ) throws(SegueError) {
    guard let id = AppID(program.appID), let type = ActivityType(program.type) else {
      throw SegueError(.invalidArgument, "\(program.appID) is not an application's id.")
    }
    (self.program, self.bridge, self.loop, self.log, self.type) = (program, bridge, loop, log, type)
    self.givesFiles = givesFiles || bridge.allowsFiles
    self.tell = tell
    application = try Application(appID: id, busAddress: nil, ownsAppID: false)
    watch = try loop.watch(application.descriptor, .readable) { [unowned self] _ in _ = application.dispatch() }
    application.delegate.continueActivity = { [unowned self] _, activity, restoration in
      arrived(activity, restoration)
    }
    // A bridge may report in the middle of a request that an activity waits for.
    bridge.changed = { [weak self] change in self?.loop.later { self?.take(change) } }
    application.ready()
  }

  func close() {
    bridge.changed = nil
    bridge.end()
    end()
    watch?.cancel()
    Handle.drop(Unmanaged.passRetained(ApplicationHandle(application)))
  }

  private func take(_ change: BridgeChange) {
    do throws(SegueError) {
      switch change {
      case .shows(let title): try show(title)
      case .ended: end()
      case .used: try activity?.setNeedsSave(true)
      case .aged: activity?.needsRound()
      case .inFront: if let activity { application.makeCurrent(activity) }
      }
    } catch { log("\(program.title): \(error.message)") }
  }

  private func end() {
    if let activity { application.invalidate(activity) }
    activity = nil
  }

  private func show(_ title: String) throws(SegueError) {
    end()
    let activity = Activity(application: application, type: type)
    self.activity = activity
    activity.delegate.willSave = { [unowned self] activity in save(activity) }
    activity.delegate.wasContinued = { [unowned self] _ in bridge.wasContinued() }
    try activity.setTitle(title.isEmpty ? nil : title)
    if givesFiles { try activity.setAllowsFiles(true) }
    try activity.setNeedsSave(true)
    application.makeCurrent(activity)
  }

  /// Within the library's save callback. The program goes on playing, so that the next one who asks wants another state.
  private func save(_ activity: Activity) {
    guard let state = bridge.state() else { return }
    do throws(SegueError) { try activity.setUserInfo(state) } catch { log("\(program.title): \(error.message)") }
    loop.later { activity.needsRound() }
  }

  private func arrived(_ activity: Activity, _ restoration: Restoration) -> Bool {
    restoration.retained()
    if open(activity.userInfo, of: activity, restoration) { return true }
    let missing = OpenAddress(activity.userInfo)?.missingName
    if program.bringsFiles, let missing, case .url(let url) = activity.userInfo[OpenAddress.key] {
      bring(url, of: activity, Limits.bridgeFile) { [weak self] result in
        self?.came(url, missing, result, activity, restoration)
      }
      return true
    }
    if let missing {
      tell(Self.only(missing, on: restoration))
    } else {
      log("\(program.title) does not open what was sent: it is not a file of this device, and no page")
    }
    loop.later { Handle.drop(Unmanaged.passRetained(restoration)) }
    return false
  }

  private func open(_ userInfo: [Value: Value], of activity: Activity, _ restoration: Restoration) -> Bool {
    let arrival = Arrival(userInfo: userInfo) { [unowned self] url, maximum, done in
      bring(url, of: activity, maximum, done)
    }
    return bridge.open(arrival) { [weak self] isOpen in
      self?.loop.later { self?.finish(restoration, isOpen) }
    }
  }

  /// The document that is not here was brought, or it was not.
  private func came(
    _ url: String, _ name: String, _ result: Result<BroughtFile, SegueError>, _ activity: Activity,
    _ restoration: Restoration
  ) {
    switch result {
    case .success(let file):
      var userInfo = activity.userInfo
      userInfo[OpenAddress.key] = FileURL(path: file.path).map { .url($0.string) }
      if open(userInfo, of: activity, restoration) { return }
    case .failure(let error):
      switch error.code {
      case .accessDenied, .notFound: tell(Self.only(name, on: restoration))
      case .userCancelled:
        tell("\(DisplayText.quoted(name)) is larger than \(Limits.bridgeFile >> 20) MiB, and was not brought.")
      default: tell("\(DisplayText.quoted(name)) was not brought. \(error.message)")
      }
    }
    loop.later { [weak self] in self?.finish(restoration, false) }
  }

  private static func only(_ name: String, on restoration: Restoration) -> String {
    let device = String(cString: restoration.continuation.deviceNameText.pointer)
    return "\(DisplayText.quoted(name)) is only on \(device). Put it into a folder that both devices share."
  }

  private func bring(_ url: String, of activity: Activity, _ maximum: Int, _ done: @escaping Arrival.Done) {
    do throws(SegueError) {
      try application.bringFile(
        url, of: activity,
        { [unowned self] activity, _, size in
          if size > UInt64(maximum) { _ = application.cancelFile(url, of: activity) }
        }, done)
    } catch { loop.later { done(.failure(error)) } }
  }

  private func finish(_ restoration: Restoration, _ isOpen: Bool) {
    if isOpen {
      _ = restoration.restore([])
    } else {
      log("\(program.title) does not answer, or cannot open what was sent")
      _ = restoration.fail()
    }
    Handle.drop(Unmanaged.passRetained(restoration))
  }
}
