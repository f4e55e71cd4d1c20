import Glibc
import SegueBus
import SegueControl
import SegueCore
import SegueEngine

/// Segue's item in the panel (org.kde.StatusNotifierItem, by the specification of KDE and freedesktop.org): it is there
/// while something of another device can be continued, and its menu lists that (com.canonical.dbusmenu).
///
/// The item comes and goes with a bus name, which every panel watches. Without a panel there is neither.
final class PanelItem {
  static let path = ObjectPath(constant: "/StatusNotifierItem")
  static let menuPath = ObjectPath(constant: "/MenuBar")
  private static let interface = InterfaceName(constant: "org.kde.StatusNotifierItem")
  private static let watcherName = BusName(constant: "org.kde.StatusNotifierWatcher")

  private let bus: Connection
  private unowned let surfaces: SurfaceService
  private let name: BusName?
  private var menu = PanelMenu()
  private var watcher: NameWatch?
  private var object: BusObject?
  private var menuObject: BusObject?
  private var hasPanel = false
  /// The phones that were reached when they were last asked for.
  private var phones: [PhoneRow] = []
  /// The activity for which that was.
  private var askedFor: Identifier?
  private var isAsking = false
  /// Whether the name is owned or was asked for: as long as the objects are there.
  private var isShown: Bool { object != nil }

  init(_ bus: Connection, surfaces: SurfaceService) {
    self.bus = bus
    self.surfaces = surfaces
    name = BusName("org.kde.StatusNotifierItem-\(getpid())-1")
    watcher = bus.watchOwner(of: Self.watcherName) { [weak self] owner in
      guard let self else { return }
      hasPanel = owner != nil
      // Another watcher knows of no item yet.
      if hasPanel, isShown { register() }
      update()
    }
  }

  func close() {
    watcher?.cancel()
    watcher = nil
    hide()
  }

  /// The list of offers may have changed.
  func update() {
    guard hasPanel else { return hide() }
    let found = surfaces.shown
    let sendable = surfaces.sendable
    let hasChanged = menu.show(found, sendable: sendable, phones: phones)
    if found.isEmpty { return hide() }
    if sendable?.id != askedFor { findPhones() }
    guard isShown else { return show() }
    guard hasChanged else { return }
    try? menuObject?.emit(
      PanelMenuObject.interface, "LayoutUpdated", [.uint32(menu.revision), .int32(PanelMenu.root)])
    try? object?.emit(Self.interface, "NewToolTip", [])
  }

  /// Asks which phones can be reached now, where there is a page for them; the menu follows. It is asked when an activity
  /// is the newest, and when the menu is about to be seen: the programs behind it are not watched.
  func findPhones() {
    let sendable = surfaces.sendable
    askedFor = sendable?.id
    guard sendable?.hasPage ?? false, !isAsking else { return }
    isAsking = true
    surfaces.findPhones { [weak self] found in
      guard let self else { return }
      isAsking = false
      guard found != phones else { return }
      phones = found
      update()
    }
  }

  private func show() {
    guard let name else { return }
    let object = itemObject()
    let menuObject = PanelMenuObject(item: self, surfaces: surfaces).object()
    (self.object, self.menuObject) = (object, menuObject)
    bus.export(object, at: Self.path)
    bus.export(menuObject, at: Self.menuPath)
    bus.requestName(name) { [weak self] outcome in
      if case .owner = outcome, let self, isShown { register() }
    }
  }

  private func hide() {
    guard isShown, let name else { return }
    bus.releaseName(name)
    bus.unexport(Self.path)
    bus.unexport(Self.menuPath)
    (object, menuObject) = (nil, nil)
  }

  private func register() {
    guard let name else { return }
    let call = Message.call(
      destination: Self.watcherName, path: ObjectPath(constant: "/StatusNotifierWatcher"),
      interface: InterfaceName(constant: "org.kde.StatusNotifierWatcher"),
      member: MemberName(constant: "RegisterStatusNotifierItem"))
    call.isNoAutoStart = true
    try? call.append([.string(name.string)])
    // One that refuses the item shows none, and is no worse than no panel.
    bus.call(call, timeout: Limits.busTime) { _ in }
  }

  // MARK: The menu

  /// The menu as it is now.
  var currentMenu: PanelMenu { menu }

  /// The user has chosen an entry of the menu.
  func choose(_ number: Int32, token: String?) {
    if number == PanelMenu.window { return surfaces.openWindow() }
    if let sendable = menu.sendable, let receiver = menu.receivers.first(where: { $0.number == number })?.receiver {
      switch receiver {
      case .device(let receiver): surfaces.send(sendable.id, to: receiver.device)
      case .phone(let phone): if let id = PhoneID(phone.id) { surfaces.sendPage(of: sendable.id, to: id) }
      }
      return
    }
    guard let entry = menu.entries.first(where: { $0.number == number }) else { return }
    surfaces.pick(entry.found.id, activationToken: token)
  }

  // MARK: The item

  private func itemObject() -> BusObject {
    let place = [BusArgument("x", "i"), BusArgument("y", "i")]
    let noPixmap = BusValue.array(elementSignature: "(iiay)", [])
    func constant(_ name: String, _ value: BusValue) -> BusProperty {
      BusProperty(name, value.signature, changes: .constant) { value }
    }
    return BusObject([
      BusInterface(
        Self.interface,
        methods: [
          // A click continues the first, as one on the Dock's icon does; panels that can show the menu instead.
          surfaces.method("Activate", in: place) { [weak self] _, sender in
            guard let self, let first = menu.entries.first else { return [] }
            choose(first.number, token: surfaces.takeToken(from: sender))
            return []
          },
          surfaces.method("SecondaryActivate", in: place) { [surfaces] _, _ in
            surfaces.openWindow()
            return []
          },
          surfaces.method("ContextMenu", in: place) { _, _ in [] },
          surfaces.method("Scroll", in: [BusArgument("delta", "i"), BusArgument("orientation", "s")]) { _, _ in [] },
          surfaces.method("ProvideXdgActivationToken", in: [BusArgument("token", "s")]) {
            [surfaces] arguments, sender in
            surfaces.expect(arguments.first?.asString, from: sender)
            return []
          },
        ],
        signals: ["NewTitle", "NewIcon", "NewToolTip"].map { BusSignal($0) }
          + [BusSignal("NewStatus", [BusArgument("status", "s")])],
        properties: [
          constant("Category", .string("Communications")), constant("Id", .string("segue")),
          constant("Title", .string("Segue")), constant("Status", .string("Active")), constant("WindowId", .int32(0)),
          constant("IconName", .string(SurfaceService.icon + "-symbolic")), constant("IconThemePath", .string("")),
          constant("OverlayIconName", .string("")), constant("AttentionIconName", .string("")),
          constant("AttentionMovieName", .string("")), constant("IconPixmap", noPixmap),
          constant("OverlayIconPixmap", noPixmap), constant("AttentionIconPixmap", noPixmap),
          constant("ItemIsMenu", .bool(true)), constant("Menu", .objectPath(Self.menuPath)),
          BusProperty("ToolTip", "(sa(iiay)ss)", changes: .silent) { [weak self] in
            .structure([.string(""), noPixmap, .string("Segue"), .string(self?.toolTip ?? "")])
          },
        ])
    ])
  }

  /// Properties can be read by any process, so it says no title.
  private var toolTip: String {
    let count = menu.entries.count
    return count == 1 ? "1 activity can be continued here" : "\(count) activities can be continued here"
  }
}
