import SegueBus
import SegueCore
import SegueState

/// A reader of documents that says nothing by itself: its windows are read when they come, and when somebody asks for the
/// state. The one that came last is in front.
final class ReaderBridge: Bridge {
  var changed: ((BridgeChange) -> Void)?

  private let program: BridgedProgram
  private let reader: Reader
  private let bus: SessionBus
  private var names: SignalSubscription?
  /// The windows by the order in which they came, with the document that each had when it was read last.
  private var windows: [(name: String, owner: BusName, properties: ReaderProperties?)] = []
  private var shown: (owner: BusName, title: String)?
  private var opening: Opening?
  private var digests = FileDigest()

  /// A document of another device that is being opened.
  private final class Opening {
    let place: ReadingPlace
    var machine: ReadingOpening
    /// The window; nil while it starts.
    var window: BusName?
    let done: (Bool) -> Void
    var overdue: LoopTimer?

    init(_ place: ReadingPlace, _ done: @escaping (Bool) -> Void) {
      self.place = place
      machine = ReadingOpening(place)
      self.done = done
    }
  }

  init(_ program: BridgedProgram, _ reader: Reader, _ bus: SessionBus) {
    (self.program, self.reader, self.bus) = (program, reader, bus)
    names = bus.follow(namesBelow: reader.namespace) { [weak self] name, owner in
      guard let self, program.has(busName: name) else { return }
      named(name, owner)
    }
  }

  func end() {
    names?.cancel()
    end(isOpen: false)
  }

  // MARK: Windows

  private func named(_ name: String, _ owner: BusName?) {
    let gone = windows.filter { $0.name == name && $0.owner != owner }
    windows.removeAll { $0.name == name && $0.owner != owner }
    for window in gone where opening?.window == window.owner { handle(.gone) }
    show()
    guard let owner, !windows.contains(where: { $0.owner == owner }), windows.count < Limits.bridgePlayers else {
      return
    }
    windows.append((name, owner, nil))
    look(owner, after: Limits.bridgeReadTime, isNew: true)
  }

  /// Reads a window that has come, again and again until it has its document: it says nothing when that is loaded. After
  /// the last time, which is seconds later, it counts as one without.
  private func look(_ owner: BusName, after time: UInt64, isNew: Bool) {
    reader.read(owner) { [weak self] properties in
      guard let self, windows.contains(where: { $0.owner == owner }) else { return }
      note(owner, properties)
      if isNew, properties != nil { came(owner) }
      guard properties?.file == nil, time <= Limits.bridgeOpenTime else { return }
      bus.loop.timer(after: time) { [weak self] in
        self?.look(owner, after: time * 2, isNew: isNew && properties == nil)
      }
    }
  }

  private func note(_ owner: BusName, _ properties: ReaderProperties?) {
    guard let index = windows.firstIndex(where: { $0.owner == owner }) else { return }
    windows[index].properties = properties
    show()
  }

  private func show() {
    let window = windows.last { $0.properties?.file != nil }
    let now = window.map { (owner: $0.owner, title: $0.properties?.title ?? "") }
    guard now?.owner != shown?.owner || now?.title != shown?.title else { return }
    shown = now
    changed?(now.map { .shows(title: $0.title) } ?? .ended)
  }

  // MARK: The document here

  func state() -> [Value: Value]? {
    guard let owner = shown?.owner else { return nil }
    let answer: ReaderProperties? = bus.wait { reader.read(owner, $0) }
    if let answer { note(owner, answer) }
    guard let properties = answer ?? windows.first(where: { $0.owner == owner })?.properties,
      let file = properties.file, var entries = properties.userInfo
    else { return nil }
    if let digest = digests.digest(of: file) { entries[.string("digest")] = .string(digest) }
    return entries
  }

  // A document that is read on elsewhere may stay open here.
  func wasContinued() {}

  // MARK: Documents of other devices

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard var place = ReadingPlace(userInfo), OpenAddress.file(place.file).isThere else { return false }
    if !digests.fits(userInfo, place.file) { place.page = nil }
    end(isOpen: false)
    let opening = Opening(place, done)
    self.opening = opening
    opening.overdue = bus.loop.timer(after: Limits.bridgeLaunchTime) { [weak self] in self?.handle(.overdue) }
    readAll(windows.map(\.owner)) { [weak self] in
      guard let self, self.opening === opening else { return }
      let window = windows.last { $0.properties?.file == place.file }
      opening.window = window?.owner
      handle(.begins(window: window?.properties))
    }
    return true
  }

  /// Reads the windows one after the other: their users may have gone on to other documents.
  private func readAll(_ owners: [BusName], _ done: @escaping () -> Void) {
    guard let owner = owners.first else { return done() }
    reader.read(owner) { [weak self] properties in
      self?.note(owner, properties)
      self?.readAll(Array(owners.dropFirst()), done)
    }
  }

  private func came(_ owner: BusName) {
    guard let opening, opening.window == nil else { return }
    opening.window = owner
    handle(.started)
  }

  private func handle(_ event: ReadingOpening.Event) {
    guard let opening else { return }
    for effect in opening.machine.handle(event) {
      switch (effect, opening.window) {
      case (.launch, _):
        let arguments = reader.arguments(for: opening.place.file)
        if ProgramStart.start(program, arguments) == nil { end(isOpen: false) }
      case (.ended(let isOpen), _): end(isOpen: isOpen)
      case (.open(let page), let window?): reader.open(window, opening.place.file, page: page)
      case (.go(let page), let window?): reader.go(window, to: page)
      case (.read, _): bus.loop.timer(after: Limits.bridgeReadTime) { [weak self] in self?.read(opening) }
      default: break
      }
    }
  }

  private func read(_ opening: Opening) {
    guard self.opening === opening, let window = opening.window else { return }
    reader.read(window) { [weak self] properties in
      guard let self, self.opening === opening else { return }
      note(window, properties)
      handle(.read(properties ?? ReaderProperties(file: nil, page: 0, pages: 0)))
    }
  }

  private func end(isOpen: Bool) {
    guard let ended = opening else { return }
    opening = nil
    ended.overdue?.cancel()
    ended.done(isOpen)
  }
}
