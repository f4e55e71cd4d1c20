import SegueCore

/// The user's choice for types that several applications continue (semantics V10), and of domains whose links stay in
/// the browser (W5), in defaults.conf.
public struct Defaults: Equatable, Sendable {
  /// The chosen application of each type.
  public private(set) var applications: [ActivityType: AppID] = [:]
  /// The domains whose links no application opens.
  public private(set) var keptLinks: Set<DomainName> = []
  private let path: String

  private static let group = "Default Applications"
  private static let links = (group: "Links", key: "KeepInBrowser")

  /// Throws for a file that cannot be understood.
  public init(readingFrom folder: String) throws(SegueError) {
    path = folder + "/defaults.conf"
    guard let bytes = try File.read(path, asSettings: true) else { return }
    do throws(SegueError) {
      let file = try KeyFile(bytes)
      for key in file.keys(Self.group) {
        guard let type = ActivityType(key), let id = try file.string(Self.group, key).flatMap({ AppID($0) }) else {
          throw file.failure(Self.group, key, "is not an activity type with an application id")
        }
        applications[type] = id
      }
      for name in try file.list(Self.links.group, Self.links.key) ?? [] {
        guard let domain = DomainName(name) else {
          throw file.failure(
            Self.links.group, Self.links.key,
            "names \(DisplayText.quoted(name, maximum: Limits.shownName)), which is not a domain")
        }
        keptLinks.insert(domain)
      }
    } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message).", advice: "Fix the file, or remove it.")
    }
  }

  /// Sets the choice for a type, or removes it. Throws `system`; nothing has changed then.
  public mutating func set(_ type: ActivityType, to id: AppID?) throws(SegueError) {
    var changed = self
    changed.applications[type] = id
    try changed.save()
    self = changed
  }

  /// Whether links to the domain stay in the browser. Throws `system`, or `limitExceeded`; nothing has changed then.
  public mutating func keepLinks(to domain: DomainName, _ kept: Bool) throws(SegueError) {
    var changed = self
    if kept { changed.keptLinks.insert(domain) } else { changed.keptLinks.remove(domain) }
    guard changed.keptLinks.count <= Limits.domains else {
      throw SegueError(.limitExceeded, "Links to \(Limits.domains) domains are kept in the browser already.")
    }
    try changed.save()
    self = changed
  }

  private func save() throws(SegueError) {
    var file = KeyFile()
    for (type, id) in applications.sorted(by: { $0.key.string < $1.key.string }) {
      try file.set(Self.group, type.string, to: id.string)
    }
    if !keptLinks.isEmpty {
      try file.set(Self.links.group, Self.links.key, to: keptLinks.map { $0.string }.sorted())
    }
    try File.makeParents(of: path)
    try File.replace(path, Array(file.text.utf8))
  }
}
