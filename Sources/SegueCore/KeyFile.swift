/// A key file as the Desktop Entry Specification has it: desktop files, D-Bus service files, segue.conf, pins,
/// manifests.
///
/// Values are kept as they are written; which escapes and separators they have depends on the type that the reader
/// asks for, so a malformed one is found, with its line, when it is read. Comments are not kept.
public struct KeyFile: Sendable {
  /// How much a file is held to.
  public enum Mode: Sendable {
    /// Segue's own files: a group or key that is there twice is an error.
    case strict
    /// Everybody else's: groups of one name are one, of a key that is there twice the last counts, as in GLib; lines
    /// may end in CR LF and be indented, and keys may hold what the specification does not allow.
    case lenient
  }

  struct Entry: Sendable {
    /// The key as it is written, with its locale: `Name[de]`.
    let key: String
    var value: String
    var line: Int
  }

  struct Group: Sendable {
    let name: String
    var entries: [Entry] = []
    /// Where in `entries` a key is.
    var places: [String: Int] = [:]

    mutating func set(_ entry: Entry) {
      if let place = places[entry.key] {
        entries[place] = entry
      } else {
        places[entry.key] = entries.count
        entries.append(entry)
      }
    }
  }

  private(set) var all: [Group] = []
  private var places: [String: Int] = [:]

  /// A file without groups.
  public init() {}

  /// Reads a file of at most `Limits.fileLength` bytes. An error names the line.
  public init(_ bytes: [UInt8], mode: Mode = .strict) throws(SegueError) {
    var parser = try KeyFileParser(bytes, mode: mode)
    while let line = try parser.next() {
      switch line {
      case .group(let name):
        if places[name] != nil, mode == .strict { throw parser.failure("the group [\(name)] is there twice") }
        open(name)
      case .entry(let entry):
        guard let group = parser.group, let place = places[group] else {
          throw parser.failure("a key before any group")
        }
        if mode == .strict, let other = all[place].places[entry.key] {
          throw parser.failure("the key \(entry.key) is there twice, first in line \(all[place].entries[other].line)")
        }
        all[place].set(entry)
      }
    }
  }

  /// The groups' names, in the order of the file.
  public var groups: [String] { all.map { $0.name } }

  /// Whether there is a group of this name.
  public func has(_ group: String) -> Bool { places[group] != nil }

  /// The keys of a group in the order of the file, those with a locale among them as `Name[de]`.
  public func keys(_ group: String) -> [String] {
    guard let place = places[group] else { return [] }
    return all[place].entries.map { $0.key }
  }

  /// The entries of a group as they are written, without the space around the equals sign; in the order of the file.
  public func raw(_ group: String) -> [(key: String, value: String)] {
    guard let place = places[group] else { return [] }
    return all[place].entries.map { ($0.key, $0.value) }
  }

  /// The line of a key; nil if it is not there.
  func line(_ group: String, _ key: String) -> Int? { entry(group, key)?.line }

  /// An entry by its key as it is written.
  func entry(_ group: String, _ key: String) -> Entry? {
    guard let place = places[group], let entry = all[place].places[key] else { return nil }
    return all[place].entries[entry]
  }

  /// Makes sure that a group is there, and sets an entry in it.
  mutating func set(_ group: String, _ entry: Entry) {
    open(group)
    if let place = places[group] { all[place].set(entry) }
  }

  private mutating func open(_ group: String) {
    guard places[group] == nil else { return }
    places[group] = all.count
    all.append(Group(name: group))
  }
}

extension KeyFile: Equatable {
  /// The same groups with the same entries in the same order, wherever their lines are.
  public static func == (left: KeyFile, right: KeyFile) -> Bool {
    left.all.elementsEqual(right.all) { left, right in
      left.name == right.name
        && left.entries.elementsEqual(right.entries) { $0.key == $1.key && $0.value == $1.value }
    }
  }
}
