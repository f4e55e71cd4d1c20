import Glibc
import SegueBus
import SegueCore
import SegueState

/// LibreOffice, by a helper in its own Python (`OfficeHelper`), which is there while LibreOffice runs: its lock in its
/// folder of settings tells when it starts. Texts and slides have pages; of a table only the document is known.
final class OfficeBridge: Bridge {
  private static let lock = ".lock"

  var changed: ((BridgeChange) -> Void)?

  private let program: BridgedProgram
  private let bus: SessionBus
  private var watch: WatchedFolder?
  private var helper: OfficeHelper?
  private var shown: FileURL?
  /// The last answer.
  private var properties: ReaderProperties?
  private var asking: ((ReaderProperties?) -> Void)?
  private var opening: (done: (Bool) -> Void, overdue: LoopTimer)?
  private var digests = FileDigest()

  init(_ program: BridgedProgram, _ bus: SessionBus) throws(SegueError) {
    (self.program, self.bus) = (program, bus)
    guard let folder = Self.folder else { return }
    watch = try WatchedFolder(folder, on: bus.loop) { [weak self] name in
      if name == nil || name == Self.lock { self?.follow() }
    }
    follow()
  }

  /// The folder of the settings of LibreOffice 4 and later.
  private static var folder: String? {
    let config = environment("XDG_CONFIG_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
    return (config ?? environment("HOME").map { $0 + "/.config" }).map { $0 + "/libreoffice/4" }
  }

  func end() {
    watch?.cancel()
    helper?.end()
    helper = nil
    end(isOpen: false)
  }

  // MARK: The helper

  private func follow() {
    guard helper == nil, let folder = Self.folder, access(folder + "/" + Self.lock, F_OK) == 0 else { return }
    start(.follow)
  }

  private func start(_ mode: OfficeHelper.Mode) {
    helper = OfficeHelper(program, mode, on: bus.loop) { [weak self] words in self?.take(words) }
  }

  private func take(_ words: [String]?) {
    switch words {
    case nil:
      helper = nil
      show(nil)
      answer(nil)
      end(isOpen: false)
    case ["none"]: show(nil)
    case ["used"]: changed?(.used)
    case ["nothing"]: answer(nil)
    case ["opened"]: end(isOpen: true)
    case ["failed"]: end(isOpen: false)
    case .some(let words) where words.count == 2 && words[0] == "front": show(Self.file(words[1]))
    case .some(let words) where words.count == 4 && words[0] == "place":
      answer(ReaderProperties(file: Self.file(words[1]), page: Int(words[2]) ?? 0, pages: Int(words[3]) ?? 0))
    default: break
    }
  }

  private static func file(_ url: String) -> FileURL? {
    guard case .file(let file) = OpenAddress(url) else { return nil }
    return file
  }

  private func answer(_ now: ReaderProperties?) {
    let asked = asking
    asking = nil
    asked?(now)
  }

  private func show(_ file: FileURL?) {
    guard file != shown else { return }
    shown = file
    properties = file.map { ReaderProperties(file: $0, page: 0, pages: 0) }
    changed?(properties.map { .shows(title: $0.title) } ?? .ended)
  }

  // MARK: The document here

  func state() -> [Value: Value]? {
    guard let file = shown else { return nil }
    let now: ReaderProperties? = bus.wait { done in
      asking = done
      helper?.say("read")
    }
    asking = nil
    if let now, now.file == file { properties = now }
    guard var entries = properties?.userInfo else { return nil }
    if let digest = digests.digest(of: file) { entries[.string("digest")] = .string(digest) }
    return entries
  }

  // A document that goes on elsewhere may stay open here.
  func wasContinued() {}

  // MARK: Documents of other devices

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard var place = ReadingPlace(userInfo), OpenAddress.file(place.file).isThere else { return false }
    end(isOpen: false)
    if helper == nil { start(.start) }
    guard let helper else { return false }
    if !digests.fits(userInfo, place.file) { place.page = nil }
    opening = (done, bus.loop.timer(after: Limits.bridgeLaunchTime) { [weak self] in self?.isSilent() })
    helper.say("open", place.file.string, "\(place.page ?? 0)", "\(place.fraction ?? 0)")
    return true
  }

  /// It waits for LibreOffice, which may have asked its user something. Another one takes its place.
  private func isSilent() {
    helper?.end()
    helper = nil
    end(isOpen: false)
    follow()
  }

  private func end(isOpen: Bool) {
    guard let ended = opening else { return }
    opening = nil
    ended.overdue.cancel()
    ended.done(isOpen)
  }
}
