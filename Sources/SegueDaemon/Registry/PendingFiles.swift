import SegueCore

/// The files that are still to be looked at, in the order in which they were found.
struct PendingFiles {
  private var files: TextMap<Registry.Pending> = [:]
  private var order: [String] = []
  /// How many at the front of `order` have been taken.
  private var taken = 0

  var isEmpty: Bool { files.isEmpty }
  /// Their paths.
  var paths: [String] { files.keys }

  /// All of them.
  var all: [(key: String, value: Registry.Pending)] { files.pairs }

  func has(_ path: String) -> Bool { files[path] != nil }

  /// The last that was said of a file counts.
  mutating func add(_ path: String, _ file: Registry.Pending) {
    if files.updateValue(file, forKey: path) == nil { order.append(path) }
  }

  mutating func remove(_ path: String) -> Registry.Pending? { files.removeValue(forKey: path) }

  /// Takes the first that wait, so many at most. However many wait, it takes no longer.
  mutating func takeFirst(_ count: Int) -> [(path: String, file: Registry.Pending)] {
    var some: [(path: String, file: Registry.Pending)] = []
    while some.count < count, taken < order.count {
      let path = order[taken]
      taken += 1
      if let file = files.removeValue(forKey: path) { some.append((path, file)) }
    }
    if taken == order.count {
      order = []
      taken = 0
    }
    return some
  }
}
