import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The user's choices about sharing (semantics X5): reads them from segue.conf and sharing.conf, again whenever one of
/// the files changes, and writes those that are made by commands.
final class SharingService {
  private let file: Written<SharingFile>
  private let configPath: String
  /// What segue.conf says.
  private var configured: SharingChoices
  private let networks: NetworkRecognition
  private let watch: ConfigurationWatch
  private var watching: LoopWatch?
  private let log: Log
  private let tell: (Event) -> Void

  /// Throws if sharing.conf cannot be understood.
  init(
    _ settings: Settings, disk: DiskWriter, loop: EventLoop, log: Log, tell: @escaping (Event) -> Void
  )
    throws(SegueError)
  {
    let file = try SharingFile(readingFrom: settings.configFolder)
    self.file = Written(file, disk)
    configured = settings.policy.sharing
    configPath = settings.configFolder + "/segue.conf"
    networks = NetworkRecognition(loop) { tell(.network($0)) }
    watch = try ConfigurationWatch([configPath, file.path])
    self.log = log
    self.tell = tell
  }

  /// Tells the engine the choices, before any device can have anything.
  func start(_ loop: EventLoop) throws(SegueError) {
    watch.arm()
    watching = try loop.watch(watch.descriptor, .readable) { [weak self] _ in self?.look() }
    say()
  }

  func close() {
    watching?.cancel()
    watching = nil
    networks.close()
  }

  private func say() {
    let choices = configured.joined(with: file.value.choices)
    networks.isNeeded = !choices.networks.isEmpty
    tell(.sharing(choices))
  }

  /// A file may have changed. One that cannot be understood changes nothing.
  private func look() {
    guard watch.hasChanges() else { return }
    watch.arm()
    do throws(SegueError) {
      configured = try SharingFile.read(configPath)
    } catch {
      log.warning("\(error.message) What it said before still counts.", cause: "sharing")
    }
    change({ file throws(SegueError) in try file.reread() }) { [log] error in
      guard let error else { return }
      log.warning("\(error.message) What it said before still counts.", cause: "sharing")
    }
  }

  private func change(
    _ change: @escaping @Sendable (inout SharingFile) throws(SegueError) -> Void,
    done: @escaping (SegueError?) -> Void
  ) {
    file.change(change) { [self] (result: Result<Void, SegueError>) in
      if case .success = result { say() }
      if case .failure(let error) = result { done(error) } else { done(nil) }
    }
  }

  // MARK: The user's commands

  /// Pauses, until the time (in seconds since 1970) or, for 0, until the user resumes; or resumes. `done` is called when
  /// that is on the disk and counts, or with the error. Throws `invalidArgument`.
  func setPause(_ isPaused: Bool, until: UInt64, done: @escaping (SegueError?) -> Void) throws(SegueError) {
    let now = secondsSince1970()
    if isPaused, until > 0 {
      guard until > now else {
        throw SegueError(
          .invalidArgument, "The time at which the pause is to end has passed.", advice: "Give a later one.")
      }
      guard until - now <= Limits.pauseTime / 1_000 else {
        throw SegueError(
          .invalidArgument, "A pause ends after \(Limits.pauseTime / 86_400_000) days at most.",
          advice: "Pause without an end: segue pause")
      }
    }
    if !isPaused, configured.pause != nil { throw configuredError("it pauses Segue") }
    let pause = isPaused ? (until > 0 ? SharingChoices.Pause.until(until) : .untilResumed) : nil
    change({ file throws(SegueError) in try file.change { $0.pause = pause } }, done: done)
  }

  /// Shares nothing in the present network, or shares there again. Throws `notFound` where the network cannot be
  /// recognized.
  func setPauseHere(_ isPaused: Bool, done: @escaping (SegueError?) -> Void) throws(SegueError) {
    guard case .recognized(let network) = NetworkRecognition.present() else {
      throw SegueError(
        .notFound, "The network that this device is in cannot be recognized: it has no router that answers.",
        advice: "Pause everywhere: segue pause")
    }
    if !isPaused, configured.networks.contains(network) { throw configuredError("it names this network") }
    change(
      { file throws(SegueError) in
        try file.change { if isPaused { $0.networks.insert(network) } else { $0.networks.remove(network) } }
      }, done: done)
  }

  /// Withholds an application's activities, or no more.
  func withhold(_ application: AppID, _ isWithheld: Bool, done: @escaping (SegueError?) -> Void) throws(SegueError) {
    if !isWithheld, configured.applications.contains(application) { throw configuredError("it names the application") }
    change(
      { file throws(SegueError) in
        try file.change {
          if isWithheld { $0.applications.insert(application) } else { $0.applications.remove(application) }
        }
      }, done: done)
  }

  /// Announces nothing to a device, or does so again.
  func withhold(from device: DeviceID, _ isWithheld: Bool, done: @escaping (SegueError?) -> Void) throws(SegueError) {
    if !isWithheld, configured.devices.contains(device) { throw configuredError("it names the device") }
    change(
      { file throws(SegueError) in
        try file.change { if isWithheld { $0.devices.insert(device) } else { $0.devices.remove(device) } }
      }, done: done)
  }

  private func configuredError(_ what: String) -> SegueError {
    SegueError(
      .accessDenied, "\(configPath) has the last word: \(what).", advice: "Change group [Policy] of that file.")
  }
}
