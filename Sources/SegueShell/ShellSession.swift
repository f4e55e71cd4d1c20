import SegueCore

/// The viewers of a session: which bytes each of them gets, and whose terminal gives the session its size. Pure.
///
/// A viewer whose terminal has the session's size gets the output as it comes, so that its own scrollback fills. It
/// gets a drawing of the screen instead where it has to catch up: at first, after a change of size, and when it was too
/// slow and output was left out. A viewer of another size gets only drawings, cut to its terminal.
struct ShellSession {
  typealias ViewerID = Int

  enum Event {
    /// This device's name.
    case device(String)
    /// `name`: its device's, empty for this one.
    case attached(ViewerID, name: String, TerminalSize)
    case input(ViewerID, [UInt8])
    case resized(ViewerID, TerminalSize)
    case wantsDrawing(ViewerID)
    case gone(ViewerID)
    /// The user ends the viewer's look, for this reason.
    case putOut(ViewerID, String)
    /// The program's output is on the session's screen, from which `scrolled` lines have left by now.
    case output([UInt8], scrolled: UInt64, isAlternate: Bool, leftAlternate: Bool)
    case title(String)
    /// The screen has the size that it was to have.
    case screenResized(scrolled: UInt64)
    /// So many bytes still wait for a viewer.
    case written(ViewerID, waiting: Int)
    case timer
    case ended(UInt8)
  }

  enum Effect: Equatable {
    case send(ViewerID, SessionMessage)
    /// Sends a drawing, and the lines that left the screen since it was at `linesSince`; `cutTo`: only the part that
    /// fits this size.
    case draw(ViewerID, cutTo: TerminalSize?, linesSince: UInt64)
    case type([UInt8])
    case resize(TerminalSize)
    /// Closes the viewer's channel once everything has been written to it.
    case close(ViewerID)
    case wake(Instant)
  }

  private struct Viewer {
    let name: String
    var size: TerminalSize
    /// Whether the viewer gets output as it comes.
    var isLive = false
    /// The lines that left the screen up to this count are on the viewer's terminal.
    var mark: UInt64 = 0
    /// The viewer had all of the session's screen when it changed its size: the same rows have left both.
    var movesAlong = false
    /// Its terminal's usual screen is not what it should be, behind the alternate one.
    var lacksUsual = false
    /// Whether the viewer is due a drawing, which it gets no earlier than `notBefore`.
    var isDue = true
    var notBefore: Instant = 0
    /// Bytes that wait for the viewer.
    var waiting = 0
  }

  let name: String
  let id: String
  private(set) var size: TerminalSize
  private var viewers: [ViewerID: Viewer] = [:]
  /// The viewers in the order in which they last attached or typed, the latest at the end.
  private var order: [ViewerID] = []
  private var title = ""
  private var device: String
  private var scrolled: UInt64 = 0
  private var isAlternate = false
  private var status: UInt8?
  private var now: Instant = 0
  private var effects: [Effect] = []

  init(name: String, id: String, size: TerminalSize, device: String) {
    self.name = name
    self.id = id
    self.size = size
    self.device = device
  }

  /// The viewers' devices, the one that attached or typed last at the end.
  var lookers: [(id: ViewerID, device: String)] { order.map { ($0, deviceName(of: $0)) } }

  private func deviceName(of id: ViewerID) -> String {
    viewers[id].map { $0.name.isEmpty ? device : $0.name } ?? ""
  }

  mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    self.now = now
    effects = []
    take(event)
    return effects
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .device(let name):
      guard name != device else { return }
      device = name
      tell()
    case .attached(let id, let name, let size): attach(id, name, size)
    case .input(let id, let bytes):
      guard viewers[id] != nil, status == nil, !bytes.isEmpty else { return }
      use(id)
      effects.append(.type(bytes))
    case .resized(let id, let size):
      guard let viewer = viewers[id] else { return }
      viewers[id]?.size = size
      viewers[id]?.movesAlong = viewer.isLive && viewer.mark >= scrolled
      viewers[id]?.isLive = false
      viewers[id]?.isDue = true
      if !follow() { draw(id) }
    case .wantsDrawing(let id):
      viewers[id]?.isLive = false
      viewers[id]?.isDue = true
      draw(id)
    case .gone(let id): leave(id)
    case .putOut(let id, let reason):
      guard viewers[id] != nil else { return }
      effects += [.send(id, .refused(reason)), .close(id)]
      leave(id)
    case .output(let bytes, let scrolled, let isAlternate, let leftAlternate):
      self.isAlternate = isAlternate
      for id in order { pass(bytes, to: id, scrolled, leftAlternate) }
      self.scrolled = scrolled
      for id in order { draw(id) }
    case .title(let title):
      guard title != self.title else { return }
      self.title = title
      tell()
    case .screenResized(let scrolled):
      for id in order {
        // The terminal that has changed its size has moved these lines out of sight by itself.
        if let viewer = viewers[id], viewer.movesAlong, viewer.size == size {
          viewers[id]?.mark = max(viewer.mark, scrolled)
        }
        viewers[id]?.isLive = false
        viewers[id]?.isDue = true
      }
      self.scrolled = scrolled
      for id in order { draw(id) }
    case .written(let id, let waiting):
      viewers[id]?.waiting = waiting
      draw(id)
    case .timer:
      for id in order { draw(id) }
    case .ended(let status):
      guard self.status == nil else { return }
      self.status = status
      for id in order { end(id, status) }
    }
  }

  private mutating func attach(_ id: ViewerID, _ name: String, _ size: TerminalSize) {
    guard viewers[id] == nil else { return }
    guard viewers.count < Limits.shellViewers else {
      effects += [.send(id, .refused("too many look at this session")), .close(id)]
      return
    }
    viewers[id] = Viewer(name: name, size: size)
    order.append(id)
    effects.append(.send(id, .welcome(version: ViewerMessage.version, session: self.name, id: self.id)))
    tell()
    if let status { return end(id, status) }
    if !follow() { draw(id) }
  }

  private mutating func leave(_ id: ViewerID) {
    guard viewers.removeValue(forKey: id) != nil else { return }
    order.removeAll { $0 == id }
    tell()
    follow()
  }

  /// Sends pending output before the end: the last output, or the screen for a viewer that missed output.
  private mutating func end(_ id: ViewerID, _ status: UInt8) {
    if let viewer = viewers[id], viewer.isDue {
      effects.append(.draw(id, cutTo: viewer.size == size ? nil : viewer.size, linesSince: viewer.mark))
      viewers[id]?.isDue = false
    }
    effects += [.send(id, .ended(status: status)), .close(id)]
  }

  // MARK: Size

  private mutating func use(_ id: ViewerID) {
    guard order.last != id else { return }
    order.removeAll { $0 == id }
    order.append(id)
    follow()
  }

  /// Gives the session the size of the terminal that was used last. Returns whether that is another size.
  @discardableResult private mutating func follow() -> Bool {
    guard status == nil, let last = order.last, let wanted = viewers[last]?.size, wanted != size else { return false }
    size = wanted
    effects.append(.resize(wanted))
    return true
  }

  // MARK: Output

  private mutating func pass(_ bytes: [UInt8], to id: ViewerID, _ scrolled: UInt64, _ leftAlternate: Bool) {
    guard var viewer = viewers[id] else { return }
    defer { viewers[id] = viewer }
    if viewer.isLive, viewer.waiting + bytes.count <= Limits.shellBacklog, !(leftAlternate && viewer.lacksUsual) {
      if !isAlternate { viewer.mark = max(viewer.mark, scrolled) }
      guard !bytes.isEmpty else { return }
      viewer.waiting += bytes.count
      effects.append(.send(id, .output(bytes)))
    } else {
      viewer.isLive = false
      viewer.isDue = true
    }
  }

  private mutating func draw(_ id: ViewerID) {
    guard var viewer = viewers[id], viewer.isDue, viewer.waiting == 0, status == nil else { return }
    let fits = viewer.size == size
    guard fits || viewer.notBefore <= now else { return effects.append(.wake(viewer.notBefore)) }
    effects.append(.draw(id, cutTo: fits ? nil : viewer.size, linesSince: viewer.mark))
    viewer.isDue = false
    // Until it is known how much of the drawing waits.
    viewer.waiting = 1
    viewer.isLive = fits
    viewer.lacksUsual = isAlternate || !fits
    if !isAlternate { viewer.mark = max(viewer.mark, scrolled) }
    viewer.movesAlong = false
    viewer.notBefore = now + Limits.shellDrawInterval
    viewers[id] = viewer
  }

  /// Sends each viewer the title and the names of the other viewers' devices.
  private mutating func tell() {
    for id in order {
      let others = order.filter { $0 != id }.map { deviceName(of: $0) }
      effects.append(.send(id, .status(title: title, others: others)))
    }
  }
}
