import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The installed applications, and the rest of what decides which application may continue what: team manifests, and
/// the user's defaults.
final class ApplicationService {
  let registry: Registry
  private(set) var teams: Teams
  private let defaults: Written<Defaults>
  private var rules: MatchRules
  private let handlers: WebHandlers
  private let browser: BrowserLook
  private var running: [SessionID: (AppID, RunningBrowser)] = [:]
  /// Whether the desktop hands the links that the user follows to `segue open`.
  var opensLinks: Bool { rules.opensLinks }
  private let folder: StateFolder
  private let disk: DiskWriter
  private let log: Log
  private let tell: (Event) -> Void
  private var watch: LoopWatch?

  /// `browser`: what was found before, while the registry was read. `folder`: where the newest manifest of each team is
  /// remembered. Throws if one of this device's own files cannot be understood.
  init(
    _ settings: Settings, _ registry: Registry, _ handlers: WebHandlers, _ browser: BrowserLook, folder: StateFolder,
    disk: DiskWriter, log: Log, tell: @escaping (Event) -> Void
  ) throws(SegueError) {
    self.registry = registry
    self.handlers = handlers
    self.browser = browser
    self.folder = folder
    self.disk = disk
    self.log = log
    self.tell = tell
    teams = Teams(try TeamMemory(readingFrom: folder))
    let defaults = try Defaults(readingFrom: settings.configFolder)
    self.defaults = Written(defaults, disk)
    rules = MatchRules(defaults: defaults.applications, allowsUserTeams: settings.policy.allowsUserTeams)
    rules.keepsLinks = defaults.keptLinks
  }

  /// Tells the engine what is installed, and watches for changes. `changed` gets the applications that have changed.
  func start(_ loop: EventLoop, changed: @escaping (Set<AppID>) -> Void) throws(SegueError) {
    readTeams()
    registry.watchHandlers(handlers.watchedFolders)
    takeHandler(browser.isCurrent(handlers) ? browser.handler : handlers.handler(ofScheme: "https"))
    tell(.applications(registry.index))
    tell(.rules(rules))
    registry.onChange = { [self] applications in
      readTeams()
      takeHandler(handlers.handler(ofScheme: "https"))
      tell(.applications(registry.index))
      tell(.rules(rules))
      changed(applications)
    }
    watch = try loop.watch(registry.descriptor, .readable) { [self] _ in
      // It is read on already where it is behind.
      if !registry.isBehind { read(loop) }
    }
  }

  private func takeHandler(_ handler: WebHandler?) {
    rules.browser = handler?.id
    rules.opensLinks = handlers.opensLinks
    judgeBrowsers(handler)
  }

  // MARK: Browsers that run

  /// An application has registered: one that shows pages is asked which browser has started it.
  func came(_ session: SessionID, _ application: AppID, process: Int32) {
    guard registry.application(application)?.activityTypes.contains(.browsingWeb) == true else { return }
    running[session] = (application, RunningBrowser(behind: process))
    tellBrowsers()
  }

  func left(_ session: SessionID) {
    if running.removeValue(forKey: session) != nil { tellBrowsers() }
  }

  private func tellBrowsers() {
    let former = rules.browserHosts
    judgeBrowsers(handlers.handler(ofScheme: "https"))
    if rules.browserHosts != former { tell(.rules(rules)) }
  }

  private func judgeBrowsers(_ handler: WebHandler?) {
    rules.browserHosts = Set(
      running.values.filter { _, browser in handler.map { browser.isStarted(by: $0) } ?? false }.map { $0.0 })
  }

  /// Others have their turn of the loop between the files of many applications.
  private func read(_ loop: EventLoop) {
    registry.process()
    if registry.isBehind { loop.later { [self] in read(loop) } }
  }

  func stop() { watch?.cancel() }

  /// Manifests came, went or changed.
  private func readTeams() {
    let old = teams.problems
    let isNewer = teams.resolve(Array(registry.files.teamFiles.values))
    rules.teams = teams.records
    for problem in teams.problems where !old.contains(problem) { log.notice(problem, cause: "team") }
    guard isNewer else { return }
    let (memory, folder) = (teams.memory, folder)
    disk.run({ () throws(SegueError) in try memory.save(to: folder) }) { [log] (result: Result<Void, SegueError>) in
      guard case .failure(let error) = result else { return }
      log.warning(
        "\(error.message) Until it can be saved, a restart forgets which manifests are revoked.", cause: "team")
    }
  }

  // MARK: The user's defaults

  /// The application that the user has chosen for each type.
  var chosen: [ActivityType: AppID] { defaults.value.applications }

  /// Chooses an application for a type; nil takes the choice back. `done` is called when the choice is on the disk, or
  /// with the error. Throws `noApplication`.
  func setDefault(
    _ type: ActivityType, to id: AppID?, done: @escaping (SegueError?) -> Void
  ) throws(SegueError) {
    if let id {
      let claiming = registry.applications(claiming: type)
      guard claiming.contains(where: { $0.appID == id || $0.acts(for: id) }) else {
        let names = claiming.map { $0.appID.string }.joined(separator: ", ")
        throw SegueError(
          .noApplication, "\(id.string) does not declare \(type.string) here.",
          advice: claiming.isEmpty ? "No installed application does." : "These do: \(names).")
      }
    }
    change(done) { defaults throws(SegueError) in try defaults.set(type, to: id) }
  }

  /// Keeps links to a domain in the browser, or does not. `done` is as above.
  func keepLinks(to domain: DomainName, _ kept: Bool, done: @escaping (SegueError?) -> Void) {
    change(done) { defaults throws(SegueError) in try defaults.keepLinks(to: domain, kept) }
  }

  private func change(
    _ done: @escaping (SegueError?) -> Void,
    _ change: @escaping @Sendable (inout Defaults) throws(SegueError) -> Void
  ) {
    defaults.change(change) { [self] (result: Result<Void, SegueError>) in
      if case .failure(let error) = result { return done(error) }
      rules.defaults = defaults.value.applications
      rules.keepsLinks = defaults.value.keptLinks
      tell(.rules(rules))
      done(nil)
    }
  }
}
