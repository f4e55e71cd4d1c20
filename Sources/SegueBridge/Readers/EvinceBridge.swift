import SegueBus
import SegueCore

/// GNOME's document viewer, which opens a document at a page and tells nobody at which page it is: it continues what others
/// show, and announces nothing.
final class EvinceBridge: Bridge {
  private static let daemon = BusName(constant: "org.gnome.evince.Daemon")
  private static let daemonPath = ObjectPath(constant: "/org/gnome/evince/Daemon")
  private static let daemonInterface = InterfaceName(constant: "org.gnome.evince.Daemon")
  private static let path = ObjectPath(constant: "/org/gnome/evince/Evince")
  private static let interface = InterfaceName(constant: "org.gnome.evince.Application")

  var changed: ((BridgeChange) -> Void)?
  private let bus: SessionBus
  private var digests = FileDigest()

  init(_ bus: SessionBus) { self.bus = bus }

  func end() {}
  func state() -> [Value: Value]? { nil }
  func wasContinued() {}

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard var place = ReadingPlace(userInfo), OpenAddress.file(place.file).isThere else { return false }
    if !digests.fits(userInfo, place.file) { place.page = nil }
    let page = place.page
    let file = place.file
    find(file, spawns: false) { [self] owner in
      // Where the document is open, nobody knows at which page: it stays there, and comes to the front.
      if let owner { return reload(owner, page: nil, done) }
      find(file, spawns: true) { [self] owner in
        guard let owner else { return done(false) }
        reload(owner, page: page, done)
      }
    }
    return true
  }

  private func find(_ file: FileURL, spawns: Bool, _ done: @escaping (BusName?) -> Void) {
    bus.call(
      Self.daemon, Self.daemonPath, Self.daemonInterface, MemberName(constant: "FindDocument"),
      [.string(file.string), .bool(spawns)], starts: true, timeout: Limits.bridgeLaunchTime
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
