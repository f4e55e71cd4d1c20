import SegueCore

/// The texts of this device's stored activities, so that a search need not read each of them: of ten thousand, it reads
/// the few that have all pairs of bytes that the words have. It changes with the copies.
struct SearchIndex {
  /// The order of entries: the latest first; of the same second, in the order of ids.
  private struct Place: Comparable {
    let storedAt: UInt64
    let activity: Identifier

    init(_ copy: StoredCopy) { (storedAt, activity) = (copy.storedAt, copy.offer.id) }

    static func < (one: Place, other: Place) -> Bool {
      one.storedAt != other.storedAt ? one.storedAt > other.storedAt : one.activity < other.activity
    }
  }

  private struct Entry {
    let place: Place
    let appID: AppID
    /// The title and the keywords in lower case. NUL, which no word holds, stands between them.
    let text: [UInt8]
    let pairs: BytePairs

    init(_ copy: StoredCopy) {
      place = Place(copy)
      appID = copy.offer.appID
      text = Array(([copy.offer.title ?? ""] + copy.keywords).map { $0.lowercased() }.joined(separator: "\0").utf8)
      pairs = BytePairs(of: text)
    }
  }

  private var entries: [Entry] = []
  /// How many entries each application has.
  private var counts: [AppID: Int] = [:]

  init() {}

  /// The index of those among the copies that a search can find.
  init(_ copies: some Sequence<StoredCopy>) {
    entries = copies.filter(Self.holds).map { Entry($0) }.sorted { $0.place < $1.place }
    for entry in entries { counts[entry.appID, default: 0] += 1 }
  }

  /// A copy has taken the place of another one, or of none; or there is none any more.
  mutating func replace(_ old: StoredCopy?, with new: StoredCopy?) {
    if let old, Self.holds(old) { remove(Place(old)) }
    if let new, Self.holds(new) {
      let entry = Entry(new)
      entries.insert(entry, at: number(of: entry.place))
      counts[entry.appID, default: 0] += 1
    }
  }

  private mutating func remove(_ place: Place) {
    let number = number(of: place)
    guard number < entries.count, entries[number].place == place else { return }
    let appID = entries.remove(at: number).appID
    counts[appID] = counts[appID].flatMap { $0 > 1 ? $0 - 1 : nil }
  }

  /// Finds the activities whose texts and application's name have all words together, the latest first, and returns
  /// at most so many of the results that `found` has for them. `name`: the name of an application.
  func first<Found>(
    _ most: Int, fitting terms: SearchTerms, name: (AppID) -> String, _ found: (Identifier) -> Found?
  ) -> [Found] {
    var results: [Found] = []
    // Each application's name is searched once, for all of its activities.
    let named = wordsInNames(terms, name)
    let inAnyName = named.values.reduce(0, |)
    for number in entries.indices where results.count < most {
      let missing = terms.absent(from: entries[number].pairs)
      guard missing & ~inAnyName == 0 else { continue }
      let inName = inAnyName == 0 ? 0 : named[entries[number].appID] ?? 0
      guard missing & ~inName == 0, terms.are(all: inName | terms.words(inFolded: entries[number].text)) else {
        continue
      }
      if let result = found(entries[number].place.activity) { results.append(result) }
    }
    return results
  }

  private func wordsInNames(_ terms: SearchTerms, _ name: (AppID) -> String) -> [AppID: SearchTerms.Words] {
    var words: [AppID: SearchTerms.Words] = [:]
    for appID in counts.keys { words[appID] = terms.words(in: name(appID)) }
    return words
  }

  /// Whether a search can find the copy by its texts.
  private static func holds(_ copy: StoredCopy) -> Bool { copy.kind == .search && copy.device == nil }

  /// The first number whose entry does not stand before the place.
  private func number(of place: Place) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].place < place { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
