import SegueBus
import SegueCore

/// GNOME's file manager, by org.freedesktop.FileManager1 on its own name, since another file manager may own that of the
/// interface. Seen of Nautilus 43: PropertiesChanged comes with all locations at each change of one, windows in the order
/// in which they came, the last one first; nothing tells of the selection, and of the tab that is in front. ShowFolders
/// answers before the window is there, presents a window that has the folder, and shows the folder above in the place of
/// one that is missing. ShowItems selects in a window that has the folder; several items may open several windows.
final class NautilusBridge: Bridge {
  private static let name = BusName(constant: "org.gnome.Nautilus")
  private static let path = ObjectPath(constant: "/org/freedesktop/FileManager1")
  private static let interface = InterfaceName(constant: "org.freedesktop.FileManager1")
  private static let property = "OpenWindowsWithLocations"

  var changed: ((BridgeChange) -> Void)?

  private let bus: SessionBus
  private var watch: NameWatch?
  private var signals: SignalSubscription?
  private var desk = OpenFolders()
  private var shown: FileURL?
  private var opening: Opening?

  /// A folder of another device that is being opened.
  private final class Opening {
    let place: FolderPlace
    let done: (Bool) -> Void
    var overdue: LoopTimer?

    init(_ place: FolderPlace, _ done: @escaping (Bool) -> Void) {
      self.place = place
      self.done = done
    }
  }

  init(_ bus: SessionBus) {
    self.bus = bus
    watch = bus.follow(ownerOf: Self.name) { [weak self] owner in self?.owned(by: owner) }
  }

  func end() {
    watch?.cancel()
    signals?.cancel()
    end(isOpen: false)
  }

  // MARK: Its windows

  private func owned(by owner: BusName?) {
    signals?.cancel()
    signals = nil
    guard let owner else { return note([]) }
    signals = bus.follow(owner, Self.path, SessionBus.properties, MemberName(constant: "PropertiesChanged")) {
      [weak self] message in
      guard let values = try? message.arguments(), values.count == 3, values[0].asString == Self.interface.string,
        let value = values[1].asDictionary?[Self.property]
      else { return }
      self?.note(OpenFolders.locations(value))
    }
    look(after: Limits.bridgeReadTime)
  }

  /// Reads what is open in one that has come. It has its name before it has the interface.
  private func look(after time: UInt64) {
    read { [weak self] locations in
      guard let self, signals != nil else { return }
      if let locations { return note(locations) }
      guard time <= Limits.bridgeOpenTime else { return }
      bus.loop.timer(after: time) { [weak self] in self?.look(after: time * 2) }
    }
  }

  private func read(_ done: @escaping ([String]?) -> Void) {
    bus.properties(of: Self.name, Self.path, Self.interface) { done($0?[Self.property].map(OpenFolders.locations)) }
  }

  private func note(_ locations: [String]) {
    desk.take(locations)
    if let opening, desk.has(opening.place.folder) { end(isOpen: true) }
    guard desk.front != shown else { return }
    shown = desk.front
    changed?(shown.map { .shows(title: DisplayText.clean(OpenAddress.file($0).lastPart)) } ?? .ended)
  }

  // MARK: The folder here

  func state() -> [Value: Value]? { shown.map { [.string("uri"): .url($0.string)] } }

  // A folder may stay open here.
  func wasContinued() {}

  // MARK: Folders of other devices

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard let place = FolderPlace(userInfo), OpenAddress.file(place.folder).isFolder else { return false }
    end(isOpen: false)
    let opening = Opening(place, done)
    self.opening = opening
    opening.overdue = bus.loop.timer(after: Limits.bridgeLaunchTime) { [weak self] in self?.end(isOpen: false) }
    ask(opening, isOpen: desk.has(place.folder))
    return true
  }

  /// Asks for the folder; again where it runs and does not know the request yet, since it has its name before that.
  /// `isOpen`: a window has it, so that no change of its locations comes.
  private func ask(_ opening: Opening, isOpen: Bool) {
    let (member, url): (StaticString, FileURL) =
      if let item = opening.place.item { ("ShowItems", item) } else { ("ShowFolders", opening.place.folder) }
    bus.call(
      Self.name, Self.path, Self.interface, MemberName(constant: member),
      // The second one is a startup notification's.
      [.array(elementSignature: "s", [.string(url.string)]), .string("")], starts: true,
      timeout: Limits.bridgeLaunchTime
    ) { [weak self] answer in
      guard let self, self.opening === opening else { return }
      if answer != nil {
        if isOpen { end(isOpen: true) }
      } else if signals == nil {
        end(isOpen: false)
      } else {
        bus.loop.timer(after: Limits.bridgeReadTime) { [weak self] in
          guard let self, self.opening === opening else { return }
          ask(opening, isOpen: isOpen)
        }
      }
    }
  }

  private func end(isOpen: Bool) {
    guard let ended = opening else { return }
    opening = nil
    ended.overdue?.cancel()
    ended.done(isOpen)
  }
}
