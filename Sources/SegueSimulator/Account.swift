import SegueCore
import SegueEngine

/// The fate of one continuation, across all daemons and applications that took part in it.
final class Account {
  let id: Identifier
  let offer: Identifier
  let appID: AppID?
  /// The device on which the activity is continued.
  unowned let device: VirtualDevice
  let activity: VirtualActivity?
  private unowned let world: Simulation
  /// Whether each end of the continuation was a good one, and the error of the last end.
  private(set) var ends: [Bool] = []
  private(set) var error: SegueError?
  private(set) var continued = 0
  var handled = 0
  private(set) var heard = 0
  private(set) var inBrowser: Bool?
  /// How often one daemon has asked for a browser. A daemon that was restarted meanwhile asks again.
  private(set) var browsers = 0
  private var browserDaemon: VirtualDaemon?
  private var browserError: SegueError?
  /// The snapshot that the application got.
  private(set) var snapshot: Snapshot?
  /// The snapshot that waits for its files, and the revision whose files have arrived.
  var awaited: Snapshot?
  var localized: UInt64?

  init(_ world: Simulation, _ record: ContinuationJournal.Running, on device: VirtualDevice) {
    self.world = world
    id = record.id
    offer = record.offer.id
    appID = record.appID
    self.device = device
    activity = world.activities[record.offer.id]
  }

  /// Whether the continuation may still be superseded.
  var isOnItsWay: Bool { ends.isEmpty && snapshot == nil && !wasDelivered }

  private var wasDelivered: Bool {
    device.journal.running.contains { $0.id == id && $0.isDelivered }
  }

  func ended(_ error: SegueError?, well: Bool) {
    ends.append(well)
    self.error = error
  }

  func continues(_ snapshot: Snapshot?) {
    continued += 1
    self.snapshot = snapshot
  }

  func hears(_ notice: ContinuedNotice) {
    heard += 1
    inBrowser = notice.inBrowser
  }

  func asksBrowser(_ daemon: VirtualDaemon, _ error: SegueError?) {
    browsers = browserDaemon === daemon ? browsers + 1 : 1
    browserDaemon = daemon
    browserError = error
  }

  /// Whether the two devices were paired all the time.
  private var wasPaired: Bool {
    guard let other = activity?.device, other !== device else { return true }
    return !world.unpaired.contains([min(device.index, other.index), max(device.index, other.index)])
  }

  func judge() {
    let what = "continuation \(id.low)"
    for _ in ends { world.outcomes[error?.code, default: 0] += 1 }
    if ends.count != 1 { world.problem("X9: \(what) ended \(ends.count) times") }
    if continued > 1 { world.problem("X9: \(what) was restored \(continued) times") }
    if heard > 1 { world.problem("V11: the origin was told \(heard) times of \(what)") }
    if browsers > 1 { world.problem("V7: a browser was asked \(browsers) times for \(what)") }
    let isWell = ends.contains(true)
    let isShown = browsers == 1 && browserError == nil
    guard isWell else {
      if heard > 0 { world.problem("V11: the origin was told of \(what), which failed") }
      return
    }
    if handled == 0, !isShown { world.problem("V11: \(what) ended well and was not finished") }
    if let inBrowser, inBrowser != isShown { world.problem("V7: the origin was told wrongly of a browser for \(what)") }
    guard wasPaired, let activity else { return }
    if heard == 0, activity.process.holds(offer) { world.problem("V11: the origin was not told of \(what)") }
    judgeHiding(activity)
  }

  /// The offer is hidden until its activity changes, among the kept copies too (semantics V15).
  private func judgeHiding(_ activity: VirtualActivity) {
    guard let snapshot, activity.contents[snapshot.revision] == activity.content else { return }
    let listed = device.daemon?.listed.contains { $0.offer.id == offer && $0.device == activity.device.id } ?? false
    if listed { world.problem("V15: what continuation \(id.low) has continued is shown again") }
  }
}
