import Glibc
import SegueControl
import SegueCore
import SegueState

/// Judges an application's desktop file and the service file that belongs to it, for the developer who wonders why
/// nothing is offered, or nothing is launched.
struct ApplicationCheck {
  private let registry: Registry
  /// The manifests that are installed, by team.
  private let teams: [String: TeamRecord]

  init(_ registry: Registry, teams: [String: TeamRecord]) {
    self.registry = registry
    self.teams = teams
  }

  /// The findings about the desktop file at a path. Throws where there is no such file to check.
  func findings(_ path: String) throws(SegueError) -> [Finding] {
    guard path.begins(with: "/"), path.utf8.count < Int(PATH_MAX) else {
      throw SegueError(.invalidArgument, "This is not an absolute path.")
    }
    guard let bytes = try File.read(path) else {
      throw SegueError(.notFound, "There is no \(path).", advice: "Give the path of a desktop file.")
    }
    let name = path.parts(at: "/").last ?? ""
    guard let start = name.rest(before: Self.suffix) else {
      return [Finding(severity: .error, message: "\(name) does not end in \(Self.suffix).", advice: Self.rename)]
    }
    guard let id = AppID(start) else {
      return [
        Finding(
          severity: .error, message: "\(name) without \(Self.suffix) is not an application id.", advice: Self.rename)
      ]
    }
    var findings = [Finding(severity: .note, message: "The application id is \(id.string).")]
    guard let file = desktopFile(bytes, &findings) else { return findings }
    findings += types(of: file)
    findings += domains(of: file)
    findings += team(of: file, id)
    findings += place(of: path, id)
    findings += service(of: id, beside: path)
    return findings
  }

  private static let suffix = ".desktop"
  private static let rename =
    "Name the file by the application's id, two or more elements joined by dots: org.example.Editor.desktop"

  // MARK: The desktop file

  private func desktopFile(_ bytes: [UInt8], _ findings: inout [Finding]) -> DesktopFile? {
    do throws(SegueError) {
      switch try DesktopFile.read(bytes, DesktopFile.Wanted(locales: registry.settings.locales)) {
      case .application(let file): return file
      case .hidden:
        findings.append(
          Finding(severity: .error, message: "Hidden=true takes the application away.", advice: "Remove that line."))
      case .other:
        findings.append(
          Finding(
            severity: .error, message: "It declares no activity type, so the application takes no part.",
            advice: "Add \(DesktopFile.typesKey)=com.example.editor.editing; to [Desktop Entry]."))
      }
    } catch {
      findings.append(Finding(severity: .error, message: "It is malformed: \(error.message)."))
    }
    return nil
  }

  private func types(of file: DesktopFile) -> [Finding] {
    let types = file.activityTypes.map { $0.string }.joined(separator: ", ")
    var findings: [Finding] = []
    if !types.isEmpty { findings.append(Finding(severity: .note, message: "It continues \(types).")) }
    for (mime, type) in file.documentTypes.sorted(by: { $0.key.string < $1.key.string }) {
      findings.append(
        Finding(severity: .note, message: "Documents of type \(mime.string) have activities of type \(type.string)."))
    }
    for (mime, type) in file.viewerTypes.sorted(by: { $0.key.string < $1.key.string }) {
      findings.append(
        Finding(
          severity: .note,
          message: "Documents of type \(mime.string) that are only looked at have activities of type \(type.string)."))
    }
    let isNone = file.activityTypes.isEmpty && file.domains.isEmpty
    return findings + file.problems.map { Finding(severity: isNone ? .error : .warning, message: $0) }
  }

  /// A note for each domain that the file claims; a malformed claim is among the file's problems.
  private func domains(of file: DesktopFile) -> [Finding] {
    var findings = file.domains.map { claim in
      let names = (claim.isWildcard ? "every name below " : "") + claim.domain.string
      return Finding(
        severity: .note, message: "It claims \(names) for \(claim.service.rawValue).",
        advice: "See whether the domain agrees: segue domain check \(claim.domain.string)")
    }
    if !file.domains.isEmpty, file.team == nil {
      findings.append(
        Finding(
          severity: .warning, message: "It claims a domain, and no team, which the domain's file names.",
          advice: "Add X-Segue-Team=<team>: segue team tells how to make one."))
    }
    return findings
  }

  /// A team that a desktop file names is a claim until a manifest that is installed proves it.
  private func team(of file: DesktopFile, _ id: AppID) -> [Finding] {
    guard let team = file.team else { return [] }
    let alone = "so that only activities of \(id.string) itself continue in it"
    switch teams[team] {
    case nil:
      return [
        Finding(
          severity: .warning, message: "Its team \(team) has no manifest here, \(alone).",
          advice: "Install the manifest as <data directory>/segue/teams/\(team).manifest: segue team tells how to make"
            + " one.")
      ]
    case .refused(let problem):
      return [
        Finding(
          severity: .warning,
          message: "The manifest of its team \(team) is ignored, since it \(problem.reason), \(alone).",
          advice: "Install a manifest that is good: segue team show FILE says what is in one.")
      ]
    case .verified(let known):
      guard known.applications.contains(id) else {
        return [
          Finding(
            severity: .warning, message: "The manifest of its team \(team) does not list \(id.string), \(alone).",
            advice: "Add the application to the manifest, and sign it with a higher serial: segue team sign.")
        ]
      }
      return [Finding(severity: .note, message: "The manifest of its team \(team) lists it.")]
    }
  }

  // MARK: Where it is

  private func place(of path: String, _ id: AppID) -> [Finding] {
    guard let root = registry.roots.first(where: { $0.kind == .applications && $0.appID(of: path) == id }) else {
      let folders = registry.roots.filter { $0.kind == .applications }.map { $0.path }.joined(separator: ", ")
      return [
        Finding(
          severity: .warning, message: "It is not where Segue looks, so its place was not judged.",
          advice: "Install it into one of: \(folders)")
      ]
    }
    if let line = registry.files.problems[path] {
      return [
        Finding(
          severity: .error, message: line, advice: "Make it a regular file of yours that nobody else can write to.")
      ]
    }
    guard let application = registry.application(id) else {
      return [
        Finding(
          severity: .error, message: "Segue does not know the application, though the file is below \(root.path).",
          advice: "Look for a file of the same name with Hidden=true.")
      ]
    }
    guard application.desktopFile.isSame(as: path) else {
      return [
        Finding(
          severity: .error, message: "It is ignored: \(application.desktopFile) has the same application id.",
          advice: "Remove one of the two.")
      ]
    }
    let who =
      switch application.tier {
      case .user: "by the user, so that it continues only activities of the same application id"
      case .system: "by the administrator"
      case .sandbox: "as a Flatpak"
      }
    return [Finding(severity: .note, message: "It is installed \(who).")]
  }

  // MARK: The service file

  private func service(of id: AppID, beside path: String) -> [Finding] {
    let name = id.string + ServiceFile.suffix
    let file: String
    if let installed = registry.application(id)?.serviceFile {
      file = installed
    } else {
      // …/share/applications/x.desktop and …/share/dbus-1/services/x.Segue.service
      let folders = path.parts(at: "/").dropLast(2)
      file = "/" + folders.joined(separator: "/") + "/dbus-1/services/" + name
    }
    guard let bytes = try? File.read(file) else {
      return [
        Finding(
          severity: .error, message: "There is no service file \(name), so the application cannot be launched.",
          advice: "Install \(file) with [D-BUS Service], Name=\(id.segueName.string) and an Exec.")
      ]
    }
    do throws(SegueError) {
      let service = try ServiceFile(bytes, of: id)
      return [Finding(severity: .note, message: "The bus launches it by \(file).")]
        + service.problems.map { Finding(severity: .error, message: $0, advice: "Write the program's whole path.") }
        + program(service.exec, file)
    } catch {
      return [
        Finding(severity: .error, message: "\(file) is unusable: \(error.message).", advice: "Correct that line.")
      ]
    }
  }

  private func program(_ exec: [String], _ file: String) -> [Finding] {
    guard let program = exec.first, program.begins(with: "/") else { return [] }
    var status = stat()
    guard stat(program, &status) == 0 else {
      return [
        Finding(
          severity: .error,
          message: "Exec names \(DisplayText.clean(program, maximum: Limits.shownPath)), which is not there.",
          advice: "Install the program, or correct Exec in \(file).")
      ]
    }
    guard FileKind(status) == .file, access(program, X_OK) == 0 else {
      return [
        Finding(
          severity: .error,
          message: "\(DisplayText.clean(program, maximum: Limits.shownPath)) is not a program that can be run.",
          advice: "Make it executable, or correct Exec in \(file).")
      ]
    }
    return []
  }
}
