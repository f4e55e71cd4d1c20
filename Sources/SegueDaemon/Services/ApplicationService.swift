import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The applications that are installed, and what else decides who may continue what: teams' manifests, and the user's
/// defaults.
final class ApplicationService {
  let registry: Registry
  private var teams: Teams
  private var defaults: Defaults
  private var rules: MatchRules
  private let folder: StateFolder
  private let log: Log
  private let tell: (Event) -> Void
  private var watch: LoopWatch?

  /// `folder`: where is remembered what manifests were seen. Throws for files of this device's own that cannot be
  /// understood.
  init(
    _ settings: Settings, _ registry: Registry, folder: StateFolder, log: Log, tell: @escaping (Event) -> Void
  ) throws(SegueError) {
    self.registry = registry
    self.folder = folder
    self.log = log
    self.tell = tell
    teams = Teams(try TeamMemory(readingFrom: folder))
    defaults = try Defaults(readingFrom: settings.configFolder)
    rules = MatchRules(defaults: defaults.applications, allowsUserTeams: settings.policy.allowsUserTeams)
  }

  /// Tells what there is, and follows it; `changed` gets the applications that are others.
  func start(_ loop: EventLoop, changed: @escaping (Set<AppID>) -> Void) throws(SegueError) {
    readTeams()
    tell(.applications(registry.index))
    tell(.rules(rules))
    registry.onChange = { [self] applications in
      readTeams()
      tell(.applications(registry.index))
      tell(.rules(rules))
      changed(applications)
    }
    watch = try loop.watch(registry.descriptor, .readable) { [registry] _ in registry.process() }
  }

  func stop() { watch?.cancel() }

  /// Manifests came, went or changed.
  private func readTeams() {
    let old = teams.problems
    let isNewer = teams.resolve(Array(registry.teamFiles.values))
    rules.teams = teams.records
    for problem in teams.problems where !old.contains(problem) { log.notice(problem, cause: "team") }
    guard isNewer else { return }
    do throws(SegueError) { try teams.memory.save(to: folder) } catch {
      log.warning(
        "\(error.message) Until it can be saved, a restart forgets which manifests are revoked.", cause: "team")
    }
  }

  // MARK: The user's defaults

  /// The application that the user has chosen for each type.
  var chosen: [ActivityType: AppID] { defaults.applications }

  /// Chooses an application for a type; nil takes the choice back.
  func setDefault(_ type: ActivityType, to id: AppID?) throws(SegueError) {
    if let id {
      let claiming = registry.applications(claiming: type).map { $0.appID }
      guard claiming.contains(id) else {
        let names = claiming.map { $0.string }.joined(separator: ", ")
        throw SegueError(
          .noApplication, "\(id.string) does not declare \(type.string) here.",
          advice: claiming.isEmpty ? "No installed application does." : "These do: \(names).")
      }
    }
    try defaults.set(type, to: id)
    rules.defaults = defaults.applications
    tell(.rules(rules))
  }
}
