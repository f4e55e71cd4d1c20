import SegueCore
import SegueState

/// The part of a desktop file that is about continuing activities.
struct DesktopFile: Equatable {
  var name: String?
  var icon: String?
  var activityTypes: [ActivityType] = []
  var documentTypes: [MIMEType: ActivityType] = [:]
  var viewerTypes: [MIMEType: ActivityType] = [:]
  var versions: [ActivityType: UInt64] = [:]
  var team: String?
  var actsFor: [String] = []
  var domains: [AssociatedDomain] = []
  var commands: [[String]] = []
  /// The id that Flatpak gave when it exported the file.
  var flatpakID: String?
  var problems: [String] = []

  /// The content of a desktop file, once it is read.
  enum Content: Equatable {
    /// An application that declares activity types, or claims domains.
    case application(DesktopFile)
    /// Hidden=true: this file, and those of the same id in later directories, count as absent.
    case hidden
    /// A file that does not concern Segue.
    case other
  }

  private static let group = "Desktop Entry"
  static let typesKey = "X-Segue-ActivityTypes"
  static let documentTypesKey = "X-Segue-DocumentActivityTypes"
  static let viewerTypesKey = "X-Segue-ViewerActivityTypes"
  static let versionsKey = "X-Segue-ActivityVersions"
  static let actsForKey = "X-Segue-ActsFor"

  /// The keys that are read from a desktop file, for a user's locales.
  struct Wanted {
    fileprivate let names: [String]
    fileprivate let icons: [String]
    fileprivate let selection: KeyFile.Selection

    init(locales: [String]) {
      names = KeyFile.localizedKeys("Name", locales)
      icons = KeyFile.localizedKeys("Icon", locales)
      let others = [
        "Type", "Hidden", "Exec", "TryExec", "X-Flatpak", "X-Segue-Team", typesKey, documentTypesKey, viewerTypesKey,
        versionsKey, actsForKey, AssociatedDomain.key,
      ]
      selection = KeyFile.Selection(group: group, keys: others + names + icons)
    }
  }

  static func read(_ bytes: [UInt8], _ wanted: Wanted) throws(SegueError) -> Content {
    let file = try KeyFile(bytes, keeping: wanted.selection)
    let telling = [typesKey, documentTypesKey, viewerTypesKey, AssociatedDomain.key]
    guard telling.contains(where: { file.has(group, $0) }) else {
      // A broken Hidden of an application that is not ours is not ours to complain about.
      return (try? file.bool(group, "Hidden")) == true ? .hidden : .other
    }
    if try file.bool(group, "Hidden") == true { return .hidden }
    guard try file.string(group, "Type") == "Application" else {
      throw SegueError(.invalidArgument, "Type is not Application")
    }
    return .application(DesktopFile(file, wanted))
  }

  private init(_ file: KeyFile, _ wanted: Wanted) {
    let name = optional { () throws(SegueError) in try file.string(Self.group, firstOf: wanted.names) }
    self.name = name.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 }
    if self.name == nil { problems.append("Name is missing; the application id is shown.") }
    icon = optional { () throws(SegueError) in try file.string(Self.group, firstOf: wanted.icons) }
      .map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 }
    flatpakID = optional { () throws(SegueError) in try file.string(Self.group, "X-Flatpak") }
    readTypes(file)
    readTeam(file)
    readActsFor(file)
    readDomains(file)
    if activityTypes.isEmpty, domains.isEmpty { problems.append("No activity type is declared.") }
    for key in ["Exec", "TryExec"] {
      let line = optional { () throws(SegueError) in try file.string(Self.group, key) }
      guard let line, !line.isEmpty else { continue }
      if key == "TryExec" {
        commands.append([line])
      } else if let words = optional({ () throws(SegueError) in try ExecLine.split(line) }) {
        commands.append(words)
      }
    }
  }

  private mutating func readTypes(_ file: KeyFile) {
    for item in optional({ () throws(SegueError) in try file.list(Self.group, Self.typesKey) }) ?? [] {
      claim(item, Self.typesKey)
    }
    documentTypes = readDocumentTypes(file, Self.documentTypesKey)
    viewerTypes = readDocumentTypes(file, Self.viewerTypesKey)
    readVersions(file)
  }

  private mutating func readDocumentTypes(_ file: KeyFile, _ key: String) -> [MIMEType: ActivityType] {
    var types: [MIMEType: ActivityType] = [:]
    for item in optional({ () throws(SegueError) in try file.list(Self.group, key) }) ?? [] {
      let parts = item.parts(at: "=", omittingEmpty: false)
      guard parts.count == 2, let mimeType = MIMEType(parts[0]) else {
        problems.append("\(key): \(DisplayText.clean(item)) is not <mime type>=<activity type>.")
        continue
      }
      guard let type = claim(String(parts[1]), key) else { continue }
      if let other = types[mimeType], other != type {
        problems.append("\(key): \(mimeType.string) names two types; \(other.string) is taken.")
      } else {
        types[mimeType] = type
      }
    }
    return types
  }

  private mutating func readVersions(_ file: KeyFile) {
    for item in optional({ () throws(SegueError) in try file.list(Self.group, Self.versionsKey) }) ?? [] {
      let parts = item.parts(at: "=", omittingEmpty: false)
      guard parts.count == 2, let type = ActivityType(String(parts[0])), activityTypes.contains(type),
        let version = UInt64(parts[1]), (1...Self.versionMaximum).contains(version)
      else {
        problems.append("\(Self.versionsKey): \(DisplayText.clean(item)) is not <declared activity type>=<number>.")
        continue
      }
      versions[type] = version
    }
  }

  /// The largest version that the link's CBOR integers can hold.
  private static let versionMaximum = UInt64(Int64.max)

  @discardableResult
  private mutating func claim(_ string: String, _ key: String) -> ActivityType? {
    guard let type = ActivityType(string) else {
      problems.append("\(key): \(DisplayText.clean(string, maximum: Limits.shownName)) is not an activity type.")
      return nil
    }
    guard !activityTypes.contains(type) else { return type }
    guard activityTypes.count < Limits.typesPerApplication else {
      let line = "More than \(Limits.typesPerApplication) activity types; the others are ignored."
      if !problems.contains(line) { problems.append(line) }
      return nil
    }
    activityTypes.append(type)
    return type
  }

  private mutating func readActsFor(_ file: KeyFile) {
    let items = optional { () throws(SegueError) in try file.list(Self.group, Self.actsForKey) } ?? []
    for item in items.prefix(Limits.actsFor) {
      guard item.ends(with: ".desktop"), !item.has("/"), item.utf8.count <= Limits.nameLength else {
        problems.append(
          "\(Self.actsForKey): \(DisplayText.clean(item, maximum: Limits.shownName)) is not a desktop file's id.")
        continue
      }
      actsFor.append(item)
    }
    if items.count > Limits.actsFor {
      problems.append("\(Self.actsForKey): more than \(Limits.actsFor) programs; the others are ignored.")
    }
  }

  private mutating func readTeam(_ file: KeyFile) {
    guard let team = optional({ () throws(SegueError) in try file.string(Self.group, "X-Segue-Team") }), !team.isEmpty
    else { return }
    guard team.utf8.count <= Limits.teamLength,
      team.unicodeScalars.allSatisfy({ $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    else {
      problems.append("X-Segue-Team: \(DisplayText.clean(team, maximum: Limits.shownName)) is not a team.")
      return
    }
    self.team = team
  }

  private mutating func readDomains(_ file: KeyFile) {
    for item in optional({ () throws(SegueError) in try file.list(Self.group, AssociatedDomain.key) }) ?? [] {
      guard let domain = AssociatedDomain(item) else {
        problems.append(AssociatedDomain.problem(of: item))
        continue
      }
      guard !domains.contains(domain) else { continue }
      guard domains.count < Limits.domainsPerApplication else {
        problems.append("More than \(Limits.domainsPerApplication) domains; the others are ignored.")
        return
      }
      domains.append(domain)
    }
  }

  /// A value, nil with a problem where it is malformed.
  private mutating func optional<T>(_ read: () throws(SegueError) -> T?) -> T? {
    do {
      return try read()
    } catch {
      problems.append(error.message + ".")
      return nil
    }
  }
}
