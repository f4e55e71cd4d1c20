import SegueCore
import SegueEngine

// All files of one id into one application.
extension RegistryFiles {
  /// The application that the files of one id describe together.
  struct Resolution {
    var application: ApplicationIndex.Entry?
    /// Files that are kept out by a stronger one: a line each, for the log.
    var shadowed: [String] = []
  }

  func resolve(_ id: AppID) -> Resolution {
    var resolution = Resolution()
    var files = desktopFiles(of: id)
    // A hidden application is only taken away, so the user may hide the administrator's too.
    if let hidden = files.firstIndex(where: { $0.file == nil }) { files.removeSubrange(hidden...) }
    // Between the administrator's own files the order decides; a user's file never stands before them (attack 43).
    guard let chosen = files.first(where: { $0.tier > .user }) ?? files.first, let file = chosen.file else {
      return resolution
    }
    var application = InstalledApplication(
      appID: id, name: file.name ?? id.string, icon: file.icon, desktopFile: chosen.path, tier: chosen.tier,
      activityTypes: file.activityTypes, documentTypes: file.documentTypes, viewerTypes: file.viewerTypes,
      versions: file.versions, team: file.team, actsFor: file.actsFor, domains: file.domains,
      desktopCommands: file.commands, problems: file.problems)
    for other in files where !other.path.isSame(as: chosen.path) {
      if other.tier == .user, chosen.tier > .user {
        resolution.shadowed.append(
          "\(other.path) is ignored: the application id is \(chosen.path)'s, which the administrator installed.")
      } else {
        application.problems.append("\(other.path) has the same application id and is ignored.")
      }
    }
    addService(to: &application)
    resolution.application = ApplicationIndex.Entry(application)
    return resolution
  }

  /// The service file that the bus takes is the first of all; an application of the administrator's is believed only
  /// with one of the administrator's.
  private func addService(to application: inout InstalledApplication) {
    let files = serviceFiles(of: application.appID)
    let name = application.appID.string + ServiceFile.suffix
    guard let chosen = files.first(where: { $0.isTrusted || application.tier == .user }) else {
      let what = files.isEmpty ? "is missing" : "is not the administrator's"
      application.problems.append("dbus-1/services/\(name) \(what): the application cannot be launched.")
      return
    }
    if let first = files.first, !first.path.isSame(as: chosen.path) {
      application.problems.append("The bus launches \(first.path) instead of \(chosen.path).")
    }
    switch chosen.file {
    case .success(let service):
      application.serviceFile = chosen.path
      application.exec = service.exec
      application.problems += service.problems
    case .failure(let error):
      application.problems.append("\(chosen.path) is unusable: \(error.message).")
    }
  }
}
