import SegueCore

/// A domain's `apple-app-site-association` file (semantics W4, W5): which applications continue its pages, and which
/// open which of its links.
public struct AssociationFile: Equatable, Sendable {
  /// An application that the file names, on a line.
  public struct Named: Equatable, Sendable {
    public var application: ApplicationIdentifier
    public var line: Int
  }

  /// The entry for links of a group of applications.
  struct Details: Equatable, Sendable {
    var applications: [Named]
    var components: [WebLinkComponent]
  }

  /// The applications that continue pages of the domain: `activitycontinuation.apps`.
  public private(set) var continuing: [Named] = []
  /// A sentence for each oddity that has no effect, with its line.
  public private(set) var remarks: [String] = []
  var details: [Details] = []
  private var patterns = 0
  private var steps = 0

  /// Throws an error that names the line if the bytes are no such file.
  public init(_ bytes: [UInt8]) throws(SegueError) {
    let root = try JSONReader.read(bytes, .file)
    guard case .object(let members) = root.value else {
      throw SegueError(.invalidArgument, "Line \(root.line): the file is \(root.kind), and should be an object.")
    }
    if let node = members["activitycontinuation"] { try readContinuation(node) }
    if let node = members["applinks"] { try readLinks(node) }
    guard linked.count <= Limits.associationApplications else {
      throw SegueError(
        .limitExceeded, "More than \(Limits.associationApplications) applications are named for links.")
    }
    let known = ["activitycontinuation", "applinks", "webcredentials", "appclips"]
    for member in members where !known.contains(member.key) {
      remarks.append("Line \(member.node.line): nothing is called \(member.key.shown); it has no effect.")
    }
    if continuing.isEmpty, details.isEmpty { remarks.append("It names no application that Segue looks for.") }
  }

  /// Whether the file lets the application continue pages of the domain.
  public func continues(_ application: ApplicationIdentifier) -> Bool {
    continuing.contains { $0.application == application }
  }

  /// The applications that the file names for links, each once.
  public var linked: [Named] {
    var seen: Set<ApplicationIdentifier> = []
    return details.flatMap(\.applications).filter { seen.insert($0.application).inserted }
  }

  /// The verdict on a URL of the domain for an application: the first pattern that matches decides.
  public func verdict(on url: WebLinkURL, for application: ApplicationIdentifier) -> WebLinkVerdict {
    var isNamed = false
    for group in details where group.applications.contains(where: { $0.application == application }) {
      isNamed = true
      for component in group.components where component.matches(url) {
        return component.isExcluding ? .excluded(line: component.line) : .opens(line: component.line)
      }
    }
    return isNamed ? .unmatched : .notNamed
  }

  // MARK: Reading

  private mutating func readContinuation(_ node: JSONNode) throws(SegueError) {
    let members = try node.object("\"activitycontinuation\"")
    guard let apps = members["apps"] else {
      return remarks.append("Line \(node.line): \"activitycontinuation\" has no \"apps\".")
    }
    continuing = try applications(try apps.array("\"apps\""))
    guard continuing.count <= Limits.associationApplications else {
      throw SegueError(.limitExceeded, "More than \(Limits.associationApplications) applications are named.")
    }
  }

  private mutating func applications(_ nodes: [JSONNode]) throws(SegueError) -> [Named] {
    var named: [Named] = []
    for node in nodes {
      let text = try node.string("An application")
      guard let application = ApplicationIdentifier(text) else {
        remarks.append("Line \(node.line): \(text.shown) is not <team>.<application id>; it has no effect.")
        continue
      }
      named.append(Named(application: application, line: node.line))
    }
    return named
  }

  private mutating func readLinks(_ node: JSONNode) throws(SegueError) {
    let members = try node.object("\"applinks\"")
    var settings = ComponentSettings()
    if let defaults = members["defaults"] { settings = settings.with(try defaults.object("\"defaults\"")) }
    if let node = members["substitutionVariables"] {
      for variable in try node.object("\"substitutionVariables\"") {
        var values: [String] = []
        for value in try variable.node.array("The variable \(variable.key.shown)") {
          values.append(try value.string("A value of \(variable.key.shown)"))
        }
        settings.variables[variable.key] = values
      }
    }
    guard let details = members["details"] else {
      return remarks.append("Line \(node.line): \"applinks\" has no \"details\".")
    }
    switch details.value {
    case .array(let entries):
      for entry in entries { try readDetails(entry, settings) }
    case .object(let entries):
      // The oldest form: by application.
      for entry in entries {
        let named = JSONNode(.string(entry.key), line: entry.node.line)
        try readDetails(entry.node, settings, of: named)
      }
    default: throw details.mistake("\"details\"", "an array")
    }
  }

  private mutating func readDetails(
    _ node: JSONNode, _ settings: ComponentSettings, of key: JSONNode? = nil
  ) throws(SegueError) {
    let members = try node.object("An entry of \"details\"")
    var names = key.map { [$0] } ?? []
    if let one = members["appID"] { names.append(one) }
    if let several = members["appIDs"] { names += try several.array("\"appIDs\"") }
    if names.isEmpty { remarks.append("Line \(node.line): this entry names no application.") }
    var group = Details(applications: try applications(names), components: [])
    var settings = settings
    if let defaults = members["defaults"] { settings = settings.with(try defaults.object("\"defaults\"")) }
    if let components = members["components"] {
      for node in try components.array("\"components\"") {
        let members = try node.object("A component")
        remark(on: members, node)
        try add(try settings.with(members).component(line: node.line), to: &group)
      }
    } else if let paths = members["paths"] {
      // The older form knows no settings.
      for node in try paths.array("\"paths\"") { try add(try Self.path(node), to: &group) }
    } else {
      remarks.append("Line \(node.line): this entry has neither \"components\" nor \"paths\": it matches nothing.")
    }
    details.append(group)
  }

  private mutating func add(_ component: WebLinkComponent, to group: inout Details) throws(SegueError) {
    patterns += max(group.applications.count, 1)
    steps += component.cost
    guard patterns <= Limits.associationPatterns, steps <= Limits.patternSteps else {
      throw SegueError(.limitExceeded, "Line \(component.line): there are too many patterns.")
    }
    group.components.append(component)
  }

  private mutating func remark(on members: [JSONMember], _ node: JSONNode) {
    let known = ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]
    for member in members where !known.contains(member.key) {
      remarks.append("Line \(member.node.line): no component has the key \(member.key.shown); it has no effect.")
    }
    if case .string(let path)? = members["/"]?.value, let first = path.utf8.first, !"/*?$".utf8.contains(first) {
      remarks.append("Line \(node.line): the path \(path.shown) does not begin with /, so it never matches.")
    }
  }

  /// `/path/*`, or `NOT /path/*`.
  private static func path(_ node: JSONNode) throws(SegueError) -> WebLinkComponent {
    let text = try node.string("A path")
    let not = "NOT "
    let isExcluding = text.begins(with: not)
    let path = isExcluding ? text.rest(after: not) ?? text : text
    let pattern = URLPattern(plain: path)
    return WebLinkComponent(
      line: node.line, path: pattern, items: [], isExcluding: isExcluding, ignoresCase: false, isEncoded: true)
  }
}
