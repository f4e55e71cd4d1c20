import SegueCore

/// A caller that may act for an application.
public struct RegisteredCaller: Equatable, Sendable {
  /// The application.
  public var appID: AppID
  /// How sure that is.
  public var tier: InstalledApplication.Tier

  /// An application, and how sure it is.
  public init(appID: AppID, tier: InstalledApplication.Tier) {
    self.appID = appID
    self.tier = tier
  }
}

extension Registry {
  /// Whether a caller may act for the application that it says it is. A refusal is for the log too (attack 32).
  ///
  /// Within one user nothing here is proof against malice: a process may preload code into another, and an
  /// interpreter's command line says what it likes. It keeps one application from passing for another by mistake, and
  /// sandboxed ones from doing so at all.
  public func registration(
    of verdict: CallerIdentity.Verdict, as claimed: AppID
  ) throws(SegueError) -> RegisteredCaller {
    switch verdict {
    case .refused(let error): throw error
    case .sandboxed(let id, _):
      guard id == claimed else {
        throw SegueError(
          .accessDenied, "The sandbox of \(id.string) is not \(claimed.string)",
          advice: "A Flatpak registers with its own id.")
      }
      catchUp(with: claimed)
      // The kernel says in whose sandbox it is, but not who installed that: an application that the user installed would
      // else offer what the same one on another device, installed in the same way, may not continue.
      return RegisteredCaller(appID: id, tier: application(claimed)?.tier ?? .sandbox)
    case .host(let process):
      catchUp(with: claimed)
      guard let application = application(claimed) else { throw missing(claimed) }
      switch application.tier {
      case .user: break
      case .system:
        if let reason = ProgramMatch(settings.programPath).refusal(of: process, as: application) {
          throw SegueError(
            .accessDenied, "Process \(process.pid) is not \(claimed.string): \(DisplayText.clean(reason))",
            advice: "If it is started by a launcher, name its program in TryExec of \(application.desktopFile).")
        }
      case .sandbox:
        throw SegueError(
          .accessDenied, "\(claimed.string) is installed as a Flatpak, and process \(process.pid) is outside of it")
      }
      return RegisteredCaller(appID: claimed, tier: application.tier)
    }
  }

  private func missing(_ id: AppID) -> SegueError {
    if let path = files.rejectedPaths[id]?.min(), let line = files.problems[path] {
      return SegueError(.notFound, line, advice: "Correct \(path), then start the program again.")
    }
    let folder = settings.directories.first.map { $0.path + "/applications" } ?? "share/applications"
    return SegueError(
      .notFound, "No installed desktop file declares \(id.string)",
      advice:
        "Install \(folder)/\(id.string).desktop, or one in a system folder, with \(DesktopFile.typesKey)=, then start "
        + "the program again.")
  }
}
