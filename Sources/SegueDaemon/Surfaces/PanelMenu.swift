import SegueBus
import SegueCore
import SegueEngine

/// The panel's menu as a value: an entry for everything that can be continued, each with a number that it keeps, and one
/// for Segue's window.
struct PanelMenu {
  /// The number of the menu itself.
  static let root: Int32 = 0
  static let separator: Int32 = 1
  static let window: Int32 = 2

  /// Increases with every change.
  private(set) var revision: UInt32 = 1
  private(set) var entries: [(number: Int32, found: Found)] = []
  private var last = PanelMenu.window

  /// Shows these. Returns whether the menu has changed.
  mutating func show(_ found: [Found]) -> Bool {
    guard found != entries.map({ $0.found }) else { return false }
    var numbers: [OfferID: Int32] = [:]
    for entry in entries { numbers[entry.found.id] = entry.number }
    entries = found.map { found in
      if let number = numbers[found.id] { return (number, found) }
      // A number that is still on the screen must not mean something else.
      last = last == .max ? Self.window + 1 : last + 1
      return (last, found)
    }
    revision &+= 1
    return true
  }

  /// All numbers below the menu, in their order.
  var numbers: [Int32] { entries.map { $0.number } + [Self.separator, Self.window] }

  /// The properties of the entry with this number; nil where there is none.
  func properties(of number: Int32) -> BusDictionary? {
    switch number {
    case Self.root: ["children-display": .string("submenu")]
    case Self.separator: ["type": .string("separator")]
    case Self.window: ["label": .string("Open Segue")]
    default:
      entries.first { $0.number == number }.map { entry in
        [
          "label": .string(Self.label(of: entry.found)),
          "icon-name": .string(entry.found.application.icon ?? SurfaceService.icon),
        ]
      }
    }
  }

  /// The menu, or one of its entries, in the form of com.canonical.dbusmenu: number, properties, what is below it.
  /// `depth`: how far below; negative: all.
  func layout(of number: Int32, depth: Int32) -> BusValue? {
    guard let properties = properties(of: number) else { return nil }
    let below = number == Self.root && depth != 0 ? numbers.compactMap { layout(of: $0, depth: 0) } : []
    return .structure([
      .int32(number), .dictionary(properties), .array(elementSignature: "v", below.map { .variant($0) }),
    ])
  }

  /// A single underscore would mark the next letter as the entry's key.
  private static func label(of found: Found) -> String {
    var label = ""
    for scalar in ([found.title] + found.details).joined(separator: " - ").unicodeScalars {
      if scalar == "_" { label.unicodeScalars.append("_") }
      label.unicodeScalars.append(scalar)
    }
    return label
  }
}
