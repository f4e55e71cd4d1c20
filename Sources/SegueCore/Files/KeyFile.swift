/// A key file as the Desktop Entry Specification has it: desktop files, D-Bus service files, segue.conf, pins,
/// manifests.
///
/// Values are kept as they are written. The reader's requested type decides which escapes and separators a value has,
/// so a malformed value is found, with its line, when it is read. Comments are not kept.
public struct KeyFile: Sendable {
  /// How strictly a file is checked.
  public enum Mode: Sendable {
    /// Segue's own files: a repeated group or key is an error.
    case strict
    /// Other programs' files. As in GLib, groups with one name are merged, and the last of several entries with one key
    /// counts. Lines may end in CR LF and be indented, and keys may hold characters that the specification does not
    /// allow. Comments and localized names may be in another encoding; such names are skipped.
    case lenient
    /// As strict, but a repeated key has several values: Segue's list of paired devices.
    case repeating
  }

  /// The entries that a reader wants from a file that may hold many more.
  public struct Selection: Sendable {
    let group: String
    /// By their length, which tells most of them from all others.
    private var keys: [[String]] = []

    /// Selects keys of one group, given as they are written: with their locale.
    public init(group: String, keys wanted: [String]) {
      self.group = group
      for key in wanted {
        while keys.count <= key.utf8.count { keys.append([]) }
        keys[key.utf8.count].append(key)
      }
    }

    func keys(length: Int) -> [String] { length < keys.count ? keys[length] : [] }
  }

  struct Entry: Sendable {
    /// The key as it is written, with its locale: `Name[de]`.
    let key: String
    var value: String
    var line: Int
  }

  struct Group: Sendable {
    let name: String
    /// Where it begins first.
    let line: Int
    var entries: [Entry] = []
    /// The index in `entries` of each key; only for a group that has many.
    private var places: [String: Int] = [:]

    init(name: String, line: Int) {
      self.name = name
      self.line = line
    }

    func place(_ key: String) -> Int? {
      places.isEmpty ? entries.firstIndex { $0.key == key } : places[key]
    }

    mutating func set(_ entry: Entry) {
      if let place = place(entry.key) {
        entries[place] = entry
      } else {
        add(entry)
      }
    }

    /// Also where the key is there already.
    mutating func add(_ entry: Entry) {
      entries.append(entry)
      if entries.count > KeyFile.few {
        if places.isEmpty { for (place, entry) in entries.enumerated() { places[entry.key] = place } }
        places[entry.key] = entries.count &- 1
      }
    }
  }

  private(set) var all: [Group] = []
  /// The index in `all` of each group; only for a file that has many.
  private var places: [String: Int] = [:]

  /// A file without groups.
  public init() {}

  /// Reads a file of at most `Limits.fileLength` bytes. An error names the line.
  public init(_ bytes: [UInt8], mode: Mode = .strict) throws(SegueError) {
    var parser = try KeyFileParser(bytes, mode: mode)
    var place: Int?
    while let line = try parser.next() {
      switch line {
      case .group(let range):
        let name = parser.string(range)
        if mode != .lenient, self.place(name) != nil { throw parser.failure("the group [\(name)] is there twice") }
        place = open(name, line: parser.number)
      case .entry(let key, let value):
        guard let place else { throw parser.failure(Self.noGroup) }
        let entry = Entry(key: parser.string(key), value: parser.string(value), line: parser.number)
        if mode == .strict, let other = all[place].place(entry.key) {
          throw parser.failure("the key \(entry.key) is there twice, first in line \(all[place].entries[other].line)")
        }
        if mode == .repeating { all[place].add(entry) } else { all[place].set(entry) }
      }
    }
  }

  /// Reads a file leniently, and keeps only the selected entries. A malformed line outside the selection throws too.
  public init(_ bytes: [UInt8], keeping selection: Selection) throws(SegueError) {
    var parser = try KeyFileParser(bytes, mode: .lenient)
    var place: Int?
    var isInGroup = false
    while let line = try parser.next() {
      switch line {
      case .group(let range):
        isInGroup = true
        place = parser.holds(selection.group, in: range) ? open(selection.group, line: parser.number) : nil
      case .entry(let key, let value):
        guard isInGroup else { throw parser.failure(Self.noGroup) }
        guard let place, let key = selection.keys(length: key.count).first(where: { parser.holds($0, in: key) }) else {
          continue
        }
        all[place].set(Entry(key: key, value: parser.string(value), line: parser.number))
      }
    }
  }

  private static let noGroup = "a key before any group"

  /// The groups' names, in the order of the file.
  public var groups: [String] { all.map { $0.name } }

  /// Whether there is a group of this name.
  public func has(_ group: String) -> Bool { place(group) != nil }

  /// The keys of a group in the order of the file, those with a locale among them as `Name[de]`.
  public func keys(_ group: String) -> [String] {
    guard let place = place(group) else { return [] }
    return all[place].entries.map { $0.key }
  }

  /// The entries of a group as they are written, without the space around the equals sign; in the order of the file.
  public func raw(_ group: String) -> [(key: String, value: String)] {
    guard let place = place(group) else { return [] }
    return all[place].entries.map { ($0.key, $0.value) }
  }

  /// The line of a key, counted from 1; nil if it is not there.
  public func line(_ group: String, _ key: String) -> Int? { entry(group, key)?.line }

  /// The line in which a group begins, the first of them; nil if it is not there.
  public func line(_ group: String) -> Int? { place(group).map { all[$0].line } }

  /// An entry by its key as it is written.
  func entry(_ group: String, _ key: String) -> Entry? {
    guard let place = place(group), let entry = all[place].place(key) else { return nil }
    return all[place].entries[entry]
  }

  /// Makes sure that a group is there, and sets an entry in it.
  mutating func set(_ group: String, _ entry: Entry) { all[open(group)].set(entry) }

  /// The same, beside an entry of that key if there is one.
  mutating func add(_ group: String, _ entry: Entry) { all[open(group)].add(entry) }

  /// All entries of a key.
  func entries(_ group: String, _ key: String) -> [Entry] {
    place(group).map { all[$0].entries.filter { $0.key == key } } ?? []
  }

  /// Makes a group without entries, if it is not there.
  public mutating func add(group: String) { _ = open(group) }

  private func place(_ group: String) -> Int? {
    places.isEmpty ? all.firstIndex { $0.name == group } : places[group]
  }

  /// Where in `all` the group is, from now on.
  private mutating func open(_ group: String, line: Int = 0) -> Int {
    if let place = place(group) { return place }
    all.append(Group(name: group, line: line))
    if all.count > Self.few {
      if places.isEmpty { for (place, group) in all.enumerated() { places[group.name] = place } }
      places[group] = all.count &- 1
    }
    return all.count &- 1
  }

  /// So many names are found sooner by looking at each than by hashing.
  fileprivate static let few = 16
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
