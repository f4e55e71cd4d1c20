import SegueBus
import SegueCore
import SegueState

/// GNOME's document viewer. Seen of Evince 43: a process for each document, which its daemon knows (FindDocument), says that
/// it has loaded and closed one, and writes its page, from 0, into what GVFS keeps of the file (`metadata::evince::page`)
/// at each turn, within 20 ms; not for a file below the folder of temporary files. Reload goes to a page, from 0, and
/// clamps it. The page is read when somebody asks, by `gio`, since only GVFS's own library reads that.
final class EvinceBridge: Bridge {
  private static let daemon = BusName(constant: "org.gnome.evince.Daemon")
  private static let daemonPath = ObjectPath(constant: "/org/gnome/evince/Daemon")
  private static let daemonInterface = InterfaceName(constant: "org.gnome.evince.Daemon")
  private static let path = ObjectPath(constant: "/org/gnome/evince/Evince")
  private static let interface = InterfaceName(constant: "org.gnome.evince.Application")
  private static let windowInterface = InterfaceName(constant: "org.gnome.evince.Window")
  private static let metadataName = BusName(constant: "org.gtk.vfs.Metadata")
  private static let metadata = ObjectPath(constant: "/org/gtk/vfs/metadata")
  private static let metadataInterface = InterfaceName(constant: "org.gtk.vfs.Metadata")
  private static let attribute = "metadata::evince::page"
  /// The program that reads metadata.
  static let reader = "gio"

  /// An open document. The one that was opened or turned last is in front.
  private struct OpenDocument {
    let owner: BusName
    let file: FileURL
    let watch: NameWatch
    /// The page when it was read last.
    var page: Int?
  }

  var changed: ((BridgeChange) -> Void)?
  private let bus: SessionBus
  private var documents: [OpenDocument] = []
  private var shown: FileURL?
  private var signals: [SignalSubscription] = []
  /// Windows that said that they have a document, and were not looked at yet.
  private var unconfirmed = 0
  private var isReading = false
  /// The path of which GVFS has noted something while a page was read.
  private var notedMeanwhile: String?
  private var digests = FileDigest()

  init(_ bus: SessionBus) {
    self.bus = bus
    signals = [
      bus.follow(nil, nil, Self.windowInterface, MemberName(constant: "DocumentLoaded")) { [weak self] message in
        guard let owner = message.sender, let url = (try? message.arguments())?.first?.asString else { return }
        self?.loaded(url, owner)
      },
      bus.follow(nil, nil, Self.windowInterface, MemberName(constant: "Closed")) { [weak self] message in
        if let owner = message.sender { self?.closed(owner) }
      },
      bus.follow(Self.metadataName, Self.metadata, Self.metadataInterface, MemberName(constant: "AttributeChanged")) {
        [weak self] message in
        guard let values = try? message.arguments(), values.count == 2, let path = values[1].asString else { return }
        self?.noted(path)
      },
    ]
    // Documents that were open before, by the words that Evince was started with.
    for process in UserProcess.all() where process.program == "evince" {
      guard let word = process.words.last, let file = FileURL(path: process.whole(word)) else { continue }
      find(file, spawns: false) { [weak self] owner in if let owner { self?.add(file, owner) } }
    }
  }

  func end() {
    for signal in signals { signal.cancel() }
    for document in documents { document.watch.cancel() }
  }

  // MARK: Open documents

  /// A window says that it has a document. Anybody may say so: Evince's daemon knows whether it is true.
  private func loaded(_ url: String, _ owner: String) {
    guard case .file(let file) = OpenAddress(url), unconfirmed < Limits.bridgePlayers else { return }
    unconfirmed += 1
    find(file, spawns: false) { [weak self] found in
      self?.unconfirmed -= 1
      guard let found, found.string.isSame(as: owner) else { return }
      self?.add(file, found)
    }
  }

  private func add(_ file: FileURL, _ owner: BusName) {
    // A file that is written anew is loaded anew.
    guard !documents.contains(where: { $0.owner == owner && $0.file == file }), documents.count < Limits.bridgePlayers
    else { return }
    drop(owner.string)
    // Its process may end without a word.
    let watch = bus.follow(ownerOf: owner) { [weak self] now in if now == nil { self?.closed(owner.string) } }
    documents.append(OpenDocument(owner: owner, file: file, watch: watch))
    show()
  }

  private func closed(_ owner: String) {
    drop(owner)
    show()
  }

  private func drop(_ owner: String) {
    for document in documents where document.owner.string.isSame(as: owner) { document.watch.cancel() }
    documents.removeAll { $0.owner.string.isSame(as: owner) }
  }

  /// GVFS has noted something of a file, whose path begins at the root, at the home folder or at a disk's folder; it says
  /// so every second at most, and not what it is.
  private func noted(_ path: String) {
    guard !path.isEmpty, let file = documents.last(where: { $0.file.path.ends(with: path) })?.file else { return }
    guard !isReading else {
      notedMeanwhile = path
      return
    }
    isReading = true
    readPage(of: file) { [weak self] page in
      guard let self else { return }
      isReading = false
      if let next = notedMeanwhile {
        notedMeanwhile = nil
        noted(next)
      }
      guard let index = documents.lastIndex(where: { $0.file == file }), documents[index].page != page else {
        return
      }
      documents[index].page = page
      documents.append(documents.remove(at: index))
      show()
      changed?(.used)
    }
  }

  private func show() {
    guard documents.last?.file != shown else { return }
    shown = documents.last?.file
    changed?(shown.map { .shows(title: DisplayText.clean(OpenAddress.file($0).lastPart)) } ?? .ended)
  }

  // MARK: The document here

  func state() -> [Value: Value]? {
    guard let file = shown else { return nil }
    var entries: [Value: Value] = [.string("uri"): .url(file.string)]
    if let page: Int = bus.wait({ self.readPage(of: file, $0) }) {
      entries[.string("page")] = .integer(Int64(page))
      // GVFS may still tell of this turn: the page is the same then.
      if let index = documents.lastIndex(where: { $0.file == file }) { documents[index].page = page }
    }
    if let digest = digests.digest(of: file) { entries[.string("digest")] = .string(digest) }
    return entries
  }

  // A document that is read on elsewhere may stay open here.
  func wasContinued() {}

  /// The page that Evince shows, from 1; nil where it has written none.
  private func readPage(of file: FileURL, _ done: @escaping (Int?) -> Void) {
    guard let program = RegistrySettings.current().program(Self.reader) else { return bus.loop.later { done(nil) } }
    ProgramOutput.read([program, "info", "-a", Self.attribute, file.path], on: bus.loop) { bytes in
      done(bytes.flatMap { Self.page(in: $0) })
    }
  }

  /// The page in what `gio info` says, in its last line of this form: lines before it may have the file's own name.
  static func page(in output: [UInt8]) -> Int? {
    let start = "  \(attribute): "
    let lines = output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard let index = lines.last(where: { $0.begins(with: start) })?.rest(after: start).flatMap({ Int32($0) }),
      index >= 0
    else { return nil }
    return Int(index) + 1
  }

  // MARK: Documents of other devices

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard var place = ReadingPlace(userInfo), OpenAddress.file(place.file).isThere else { return false }
    if !digests.fits(userInfo, place.file) { place.page = nil }
    let page = place.page
    let file = place.file
    find(file, spawns: false) { [self] owner in
      if let owner { return go(owner, file, to: page, done) }
      find(file, spawns: true) { [self] owner in
        guard let owner else { return done(false) }
        reload(owner, page: page, done)
      }
    }
    return true
  }

  /// Goes on in a window that has the document: to no earlier page, and to none where nobody knows at which it is. It comes
  /// to the front in any case.
  private func go(_ owner: BusName, _ file: FileURL, to page: Int?, _ done: @escaping (Bool) -> Void) {
    readPage(of: file) { [self] here in
      let isLater = if let page, let here { page > here } else { false }
      reload(owner, page: isLater ? page : nil, done)
    }
  }

  private func find(_ file: FileURL, spawns: Bool, _ done: @escaping (BusName?) -> Void) {
    bus.call(
      Self.daemon, Self.daemonPath, Self.daemonInterface, MemberName(constant: "FindDocument"),
      [.string(file.string), .bool(spawns)], starts: spawns, timeout: Limits.bridgeLaunchTime
    ) { done($0?.first?.asString.flatMap { BusName($0) }) }
  }

  /// Evince clamps the page to the document's.
  private func reload(_ owner: BusName, page: Int?, _ done: @escaping (Bool) -> Void) {
    var values = BusDictionary()
    values["page-index"] = page.map { .uint32(UInt32(clamping: $0 - 1)) }
    bus.call(
      owner, Self.path, Self.interface, MemberName(constant: "Reload"), [.dictionary(values), .uint32(0)],
      timeout: Limits.bridgeOpenTime
    ) { done($0 != nil) }
  }
}
