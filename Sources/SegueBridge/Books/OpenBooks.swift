import SegueCore

/// A book that calibre's viewer remembers.
struct Book: Equatable {
  let file: FileURL
  let title: String
  /// When it was opened, as text that can be compared.
  let opened: String
}

/// A process of the viewer, with the book that it was started with.
struct BookViewer: Equatable {
  let process: Int32
  let file: FileURL?
}

/// The books that calibre's viewer has open, and which of them is in front. The viewer tells nobody; it writes down which
/// book it opens, and some seconds after a page was turned where that is. Pure.
struct OpenBooks {
  private(set) var front: Book?
  /// The books in the order in which they were used, the last one first.
  private var books: [Book] = []
  private var viewers: [BookViewer] = []
  /// Books that were opened or turned while this looked: a viewer has them, whatever it was started with.
  private var seen: [FileURL] = []
  private var hasLooked = false

  /// Takes the books that are remembered, the one that was opened last first.
  mutating func take(_ now: [Book]) {
    let now = Array(now.prefix(Limits.bridgePlayers))
    let isNew = now.first.map { new in !books.contains { $0.file == new.file && $0.opened.isSame(as: new.opened) } }
    let order = books.map(\.file)
    books = order.compactMap { file in now.first { $0.file == file } } + now.filter { !order.contains($0.file) }
    if hasLooked, isNew == true, let first = now.first { use(first.file) }
    hasLooked = true
    look()
  }

  /// The user has turned a page of it.
  mutating func use(_ file: FileURL) {
    guard let index = books.firstIndex(where: { $0.file == file }) else { return }
    books.insert(books.remove(at: index), at: 0)
    seen.removeAll { $0 == file }
    seen.append(file)
    look()
  }

  mutating func take(_ now: [BookViewer]) {
    viewers = Array(now.prefix(Limits.bridgePlayers))
    look()
  }

  mutating func ended(_ process: Int32) {
    let gone = viewers.first { $0.process == process }
    viewers.removeAll { $0.process == process }
    if let file = gone?.file { seen.removeAll { $0 == file } }
    look()
  }

  /// Whether a viewer has it, as far as can be told.
  func has(_ file: FileURL) -> Bool {
    guard !viewers.isEmpty else { return false }
    return seen.contains(file) || viewers.contains { $0.file == file }
  }

  var processes: [Int32] { viewers.map(\.process) }
  var files: [FileURL] { books.map(\.file) }

  private mutating func look() {
    if viewers.isEmpty { seen = [] }
    front = books.first { has($0.file) }
  }
}
