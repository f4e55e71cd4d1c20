import CLinux
import SegueBus
import SegueCore
import SegueState

/// calibre's viewer of books. It has no name on the bus: what it writes down is watched (`CalibreFiles`), and its processes
/// until they end. It opens a book at a place by its arguments, in a window of its own, or in the one that it has where
/// its user wants only one. Seen: a place behind the end becomes the beginning of its chapter, and one in no chapter that
/// of the book; what it writes of a place is the top of the page that shows it.
final class CalibreBridge: Bridge {
  var changed: ((BridgeChange) -> Void)?

  private let program: BridgedProgram
  private let loop: EventLoop
  private let files: CalibreFiles
  private var watches: [WatchedFolder] = []
  private var ends: [Int32: (file: FileDescriptor, watch: LoopWatch)] = [:]
  private var desk = OpenBooks()
  private var digests = FileDigest()
  private var shown: Book?
  private var opening: Opening?

  /// A book of another device that is being opened.
  private final class Opening {
    let file: FileURL
    let process: Int32
    let done: (Bool) -> Void
    var overdue: LoopTimer?

    init(_ file: FileURL, _ process: Int32, _ done: @escaping (Bool) -> Void) {
      (self.file, self.process, self.done) = (file, process, done)
    }
  }

  init(_ program: BridgedProgram, _ files: CalibreFiles, _ loop: EventLoop) throws(SegueError) {
    (self.program, self.files, self.loop) = (program, files, loop)
    watches = [
      try WatchedFolder(files.folder, on: loop) { [weak self] name in
        if name == nil || name == CalibreFiles.settings { self?.opened() }
      },
      try WatchedFolder(files.places, on: loop) { [weak self] name in if let name { self?.turned(name) } },
    ]
    opened()
  }

  func end() {
    for watch in watches { watch.cancel() }
    for (_, end) in ends { end.watch.cancel() }
    ends = [:]
    end(isOpen: false)
  }

  // MARK: The open books

  private func opened() {
    followViewers()
    let before = desk.front
    desk.take(files.books())
    show()
    guard let opening, let front = desk.front, front.file == opening.file, front != before else { return }
    end(isOpen: true)
  }

  /// It has written down a place in the book that this name is of.
  private func turned(_ name: String) {
    guard let file = desk.files.first(where: { CalibreFiles.name(of: $0).isSame(as: name) }) else { return }
    followViewers()
    desk.use(file)
    show()
    if shown?.file == file { changed?(.used) }
  }

  private func followViewers() {
    desk.take(CalibreFiles.viewers())
    for process in desk.processes where ends[process] == nil {
      guard let file = FileDescriptor(segue_pidfd_open(process)) else {
        desk.ended(process)
        continue
      }
      let watch = try? loop.watch(file.raw, .readable) { [weak self] _ in self?.ended(process) }
      if let watch { ends[process] = (file, watch) }
    }
  }

  private func ended(_ process: Int32) {
    ends.removeValue(forKey: process)?.watch.cancel()
    desk.ended(process)
    show()
    // Where its user wants one window, a second process hands the book over, and ends.
    if let opening, opening.process == process, desk.processes.isEmpty { end(isOpen: false) }
  }

  private func show() {
    guard desk.front?.file != shown?.file else { return }
    shown = desk.front
    changed?(shown.map { .shows(title: title($0)) } ?? .ended)
  }

  private func title(_ book: Book) -> String {
    DisplayText.clean(book.title.isEmpty ? OpenAddress.file(book.file).lastPart : book.title)
  }

  // MARK: The book here

  func state() -> [Value: Value]? {
    guard let file = shown?.file else { return nil }
    var entries: [Value: Value] = [.string("uri"): .url(file.string)]
    if let place = files.place(in: file) { entries[.string("cfi")] = .string(place.cfi) }
    if let digest = digests.digest(of: file) { entries[.string("digest")] = .string(digest) }
    return entries
  }

  // A book that is read on elsewhere may stay open here.
  func wasContinued() {}

  // MARK: Books of other devices

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard case .file(let file) = OpenAddress(userInfo), OpenAddress.file(file).isThere else { return false }
    end(isOpen: false)
    let place = place(userInfo, in: file)
    followViewers()
    // A reader that has the book open at this place, or further on, is not taken back.
    if desk.has(file), let here = files.place(in: file), place.map({ here >= $0 }) ?? true {
      loop.later { done(true) }
      return true
    }
    // Everything but the numbers of the place, and the path of a file that is here, is ours.
    let arguments = ["--raise-window"] + (place.map { ["--open-at=" + $0.calibre] } ?? []) + [file.path]
    guard let process = ProgramStart.start(program, arguments) else { return false }
    let opening = Opening(file, process, done)
    self.opening = opening
    opening.overdue = loop.timer(after: Limits.bridgeLaunchTime) { [weak self] in self?.end(isOpen: false) }
    followViewers()
    return true
  }

  /// The place in this file; nil where none is known, and where that is of another edition.
  private func place(_ userInfo: [Value: Value], in file: FileURL) -> BookPlace? {
    guard case .string(let cfi) = userInfo[.string("cfi")], let place = BookPlace(cfi: cfi) else { return nil }
    return digests.fits(userInfo, file) ? place : nil
  }

  private func end(isOpen: Bool) {
    guard let ended = opening else { return }
    opening = nil
    ended.overdue?.cancel()
    ended.done(isOpen)
  }
}
