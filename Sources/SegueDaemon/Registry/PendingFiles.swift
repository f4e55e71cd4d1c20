import SegueCore
import SegueState

/// The files that are still to be looked at, in the order in which they were found.
struct PendingFiles {
  private typealias Entry = (path: String, file: Registry.Pending)

  /// In that order; nil where one was taken.
  private var entries: [Entry?] = []
  private var places: TextMap<Int> = [:]
  /// How many at the front of `entries` have been taken.
  private var taken = 0

  var isEmpty: Bool { places.isEmpty }
  /// Their paths.
  var paths: [String] { places.keys }

  /// All of them.
  var all: [(path: String, file: Registry.Pending)] { entries.compactMap { $0 } }

  func has(_ path: String) -> Bool { places[path] != nil }

  /// The last that was said of a file counts.
  mutating func add(_ path: String, _ file: Registry.Pending) {
    if let former = places.updateValue(entries.count, forKey: path) {
      places[path] = former
      entries[former] = (path, file)
    } else {
      entries.append((path, file))
    }
  }

  mutating func remove(_ path: String) -> Registry.Pending? {
    guard let place = places.removeValue(forKey: path), let entry = entries[place] else { return nil }
    entries[place] = nil
    return entry.file
  }

  /// Takes the first that wait, so many at most. However many wait, it takes no longer.
  mutating func takeFirst(_ count: Int) -> [(path: String, file: Registry.Pending)] {
    guard count < places.count else {
      defer { self = PendingFiles() }
      return all
    }
    var some: [(path: String, file: Registry.Pending)] = []
    while some.count < count, taken < entries.count {
      if let entry = entries[taken] {
        places.removeValue(forKey: entry.path)
        some.append(entry)
      }
      entries[taken] = nil
      taken += 1
    }
    return some
  }
}
