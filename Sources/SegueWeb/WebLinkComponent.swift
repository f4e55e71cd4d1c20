import SegueCore

/// One pattern for URLs in an association file: an object of `components`, or a text of the older `paths`.
struct WebLinkComponent: Equatable, Sendable {
  var line: Int
  var path: URLPattern?
  var query: URLPattern?
  var items: [(name: [UInt8], pattern: URLPattern)]
  var fragment: URLPattern?
  var isExcluding: Bool
  var ignoresCase: Bool
  var isEncoded: Bool

  /// Whether it matches a URL. A part that it does not name matches anything.
  func matches(_ url: WebLinkURL) -> Bool {
    let parts = url.parts(ignoringCase: ignoresCase, isEncoded: isEncoded)
    if let path, !path.matches(parts.path) { return false }
    if let fragment, !fragment.matches(parts.fragment) { return false }
    if let query, !query.matches(parts.query) { return false }
    return items.allSatisfy { item in
      // A missing item counts as an empty one; if there are several of one name, each has to match.
      var isThere = false
      for (name, value) in parts.items where name == item.name {
        isThere = true
        guard item.pattern.matches(value) else { return false }
      }
      return isThere || item.pattern.matches([])
    }
  }

  static func == (left: WebLinkComponent, right: WebLinkComponent) -> Bool {
    left.line == right.line && left.path == right.path && left.query == right.query
      && left.fragment == right.fragment && left.isExcluding == right.isExcluding
      && left.ignoresCase == right.ignoresCase && left.isEncoded == right.isEncoded
      && left.items.elementsEqual(right.items) { $0.name == $1.name && $0.pattern == $1.pattern }
  }

  var cost: Int {
    [path, query, fragment].reduce(1) { $0 + ($1?.cost ?? 0) } + items.reduce(0) { $0 + $1.pattern.cost }
  }
}

/// The settings of `applinks`, of an entry or of a component: the nearest one that names a key counts.
struct ComponentSettings {
  var members: [JSONMember] = []
  var variables: TextMap<[String]> = [:]

  /// With the keys of a further object before these.
  func with(_ members: [JSONMember]) -> ComponentSettings {
    var settings = self
    settings.members = members + self.members.filter { old in !members.contains { $0.key.isSame(as: old.key) } }
    return settings
  }

  func component(line: Int) throws(SegueError) -> WebLinkComponent {
    let ignoresCase = try !bool("caseSensitive", true)
    var component = WebLinkComponent(
      line: line, items: [], isExcluding: try bool("exclude", false), ignoresCase: ignoresCase,
      isEncoded: try bool("percentEncoded", true))
    component.path = try pattern("/", ignoresCase)
    component.fragment = try pattern("#", ignoresCase)
    guard let query = members.first(where: { $0.key == "?" })?.node else { return component }
    switch query.value {
    case .object(let items):
      for item in items {
        let name = Array(item.key.utf8)
        component.items.append(
          (
            ignoresCase ? name.map(URLPattern.folded) : name,
            try compiled(try item.node.string("The query item \(item.key.shown)"), item.node.line, ignoresCase)
          ))
      }
    case .string: component.query = try pattern("?", ignoresCase)
    default: throw query.mistake("\"?\"", "a string or an object")
    }
    return component
  }

  private func bool(_ key: String, _ standard: Bool) throws(SegueError) -> Bool {
    guard let node = members.first(where: { $0.key == key })?.node else { return standard }
    guard case .bool(let value) = node.value else { throw node.mistake("\"\(key)\"", "true or false") }
    return value
  }

  private func pattern(_ key: String, _ ignoresCase: Bool) throws(SegueError) -> URLPattern? {
    guard let node = members.first(where: { $0.key == key })?.node else { return nil }
    let pattern = try compiled(try node.string("\"\(key)\""), node.line, ignoresCase)
    return pattern.matchesAll ? nil : pattern
  }

  func compiled(_ text: String, _ line: Int, _ ignoresCase: Bool) throws(SegueError) -> URLPattern {
    do throws(SegueError) {
      return try URLPattern(text, ignoresCase: ignoresCase, variables: variables)
    } catch {
      throw SegueError(.invalidArgument, "Line \(line): the pattern \(text.shown) has \(error.message).")
    }
  }
}

extension String {
  /// Another author's words, quoted in a sentence of ours.
  var shown: String { DisplayText.quoted(self, maximum: Limits.shownName) }
}

extension JSONNode {
  func mistake(_ what: String, _ expected: String) -> SegueError {
    SegueError(.invalidArgument, "Line \(line): \(what) is \(kind), and should be \(expected).")
  }

  func string(_ what: String) throws(SegueError) -> String {
    guard case .string(let text) = value else { throw mistake(what, "a string") }
    return text
  }

  func array(_ what: String) throws(SegueError) -> [JSONNode] {
    guard case .array(let items) = value else { throw mistake(what, "an array") }
    return items
  }

  func object(_ what: String) throws(SegueError) -> [JSONMember] {
    guard case .object(let members) = value else { throw mistake(what, "an object") }
    return members
  }
}

extension [JSONMember] {
  subscript(key: String) -> JSONNode? { first { $0.key == key }?.node }
}
