import SegueBus
import SegueCore

/// The panel's menu on the bus (com.canonical.dbusmenu, version 3).
struct PanelMenuObject {
  static let interface = InterfaceName(constant: "com.canonical.dbusmenu")

  let item: PanelItem
  let surfaces: SurfaceService

  func object() -> BusObject {
    BusObject([
      BusInterface(
        Self.interface, methods: [layout, groupProperties, property, event, eventGroup, aboutToShow, aboutToShowGroup],
        signals: [
          BusSignal("LayoutUpdated", [BusArgument("revision", "u"), BusArgument("parent", "i")]),
          BusSignal(
            "ItemsPropertiesUpdated", [BusArgument("updatedProps", "a(ia{sv})"), BusArgument("removedProps", "a(ias)")]),
          BusSignal("ItemActivationRequested", [BusArgument("id", "i"), BusArgument("timestamp", "u")]),
        ],
        properties: [
          BusProperty("Version", "u", changes: .constant) { .uint32(3) },
          BusProperty("TextDirection", "s", changes: .constant) { .string("ltr") },
          BusProperty("Status", "s", changes: .constant) { .string("normal") },
          BusProperty("IconThemePath", "as", changes: .constant) { .strings([]) },
        ])
    ])
  }

  private var layout: BusMethod {
    surfaces.method(
      "GetLayout",
      in: [BusArgument("parentId", "i"), BusArgument("recursionDepth", "i"), BusArgument("propertyNames", "as")],
      out: [BusArgument("revision", "u"), BusArgument("layout", "(ia{sv}av)")]
    ) { [weak item] arguments, _ in
      guard let menu = item?.currentMenu else { return [] }
      let parent = arguments[0].asInt32 ?? PanelMenu.root
      let nothing = BusValue.structure([.int32(parent), .dictionary([:]), .array(elementSignature: "v", [])])
      return [.uint32(menu.revision), menu.layout(of: parent, depth: arguments[1].asInt32 ?? -1) ?? nothing]
    }
  }

  private var groupProperties: BusMethod {
    surfaces.method(
      "GetGroupProperties", in: [BusArgument("ids", "ai"), BusArgument("propertyNames", "as")],
      out: [BusArgument("properties", "a(ia{sv})")]
    ) { [weak item] arguments, _ in
      guard let menu = item?.currentMenu else { return [] }
      let asked = (arguments[0].asArray ?? []).compactMap { $0.asInt32 }
      // No numbers mean all.
      let numbers = asked.isEmpty ? [PanelMenu.root] + menu.numbers : Array(asked.prefix(menu.numbers.count + 1))
      let rows = numbers.compactMap { number in
        menu.properties(of: number).map { BusValue.structure([.int32(number), .dictionary($0)]) }
      }
      return [.array(elementSignature: "(ia{sv})", rows)]
    }
  }

  private var property: BusMethod {
    surfaces.method(
      "GetProperty", in: [BusArgument("id", "i"), BusArgument("name", "s")], out: [BusArgument("value", "v")]
    ) { [weak item] arguments, _ in
      let properties = item?.currentMenu.properties(of: arguments[0].asInt32 ?? -1)
      return [.variant(properties?[arguments[1].asString ?? ""] ?? .string(""))]
    }
  }

  private var event: BusMethod {
    surfaces.method(
      "Event",
      in: [
        BusArgument("id", "i"), BusArgument("eventId", "s"), BusArgument("data", "v"), BusArgument("timestamp", "u"),
      ]
    ) { arguments, sender in
      handle(arguments, from: sender)
      return []
    }
  }

  private var eventGroup: BusMethod {
    surfaces.method(
      "EventGroup", in: [BusArgument("events", "a(isvu)")], out: [BusArgument("idErrors", "ai")]
    ) { arguments, sender in
      for case .structure(let event) in arguments[0].asArray ?? [] { handle(event, from: sender) }
      return [.array(elementSignature: "i", [])]
    }
  }

  private var aboutToShow: BusMethod {
    surfaces.method("AboutToShow", in: [BusArgument("id", "i")], out: [BusArgument("needUpdate", "b")]) {
      [weak item] _, _ in
      // Phones that came meanwhile are a change of the menu, which is told by itself.
      item?.findPhones()
      return [.bool(false)]
    }
  }

  private var aboutToShowGroup: BusMethod {
    surfaces.method(
      "AboutToShowGroup", in: [BusArgument("ids", "ai")],
      out: [BusArgument("updatesNeeded", "ai"), BusArgument("idErrors", "ai")]
    ) { [weak item] _, _ in
      item?.findPhones()
      return [.array(elementSignature: "i", []), .array(elementSignature: "i", [])]
    }
  }

  /// `event`: number, name, data, time. Only a click means something.
  private func handle(_ event: [BusValue], from sender: BusName) {
    guard event.count == 4, event[1].asString == "clicked", let number = event[0].asInt32 else { return }
    item.choose(number, token: surfaces.takeToken(from: sender))
  }
}
