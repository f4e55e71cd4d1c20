import SegueCore

/// How a document of another device is opened here at its page: in the window that has it, or in a new one. Pure.
struct ReadingOpening {
  enum Event {
    /// The window that has the document; nil where none has.
    case begins(window: ReaderProperties?)
    /// A new window is there.
    case started
    case read(ReaderProperties)
    /// The time is over.
    case overdue
    case gone
  }

  enum Effect: Equatable {
    case launch
    case open(page: Int)
    case go(page: Int)
    /// The window is to be read soon.
    case read
    case ended(isOpen: Bool)
  }

  private enum Phase: Equatable {
    case looking, launching
    /// So many times the window was read.
    case opening(Int)
    case ended
  }

  private let place: ReadingPlace
  private var phase = Phase.looking

  init(_ place: ReadingPlace) { self.place = place }

  mutating func handle(_ event: Event) -> [Effect] {
    switch (phase, event) {
    case (.ended, _): return []
    case (_, .begins(nil)):
      phase = .launching
      return [.launch]
    case (_, .begins(let window?)):
      let page = place.page(of: window.pages)
      // A reader stays at a later page: nobody is taken back silently.
      guard window.page < page else { return end(isOpen: true) }
      phase = .opening(0)
      return [.go(page: page), .read]
    case (.launching, .started):
      phase = .opening(0)
      return [.open(page: place.page ?? 1), .read]
    case (.opening(let count), .read(let window)): return opened(window, count)
    case (_, .overdue), (_, .gone): return end(isOpen: false)
    case (_, .started), (_, .read): return []
    }
  }

  private mutating func opened(_ window: ReaderProperties, _ count: Int) -> [Effect] {
    guard window.file == place.file, window.pages > 0 else { return [.read] }
    let page = place.page(of: window.pages)
    // The document is open, if not at its page.
    guard window.page != page, count < Limits.bridgeSeeks else { return end(isOpen: true) }
    phase = .opening(count + 1)
    return [.go(page: page), .read]
  }

  private mutating func end(isOpen: Bool) -> [Effect] {
    phase = .ended
    return [.ended(isOpen: isOpen)]
  }
}
