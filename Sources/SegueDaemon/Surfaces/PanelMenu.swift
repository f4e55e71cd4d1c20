import SegueBus
import SegueControl
import SegueCore
import SegueEngine

/// The panel's menu as a value: an entry for everything that can be continued, each with a number that it keeps, a menu
/// of the devices to which the newest activity here can be sent, with the phones that get its page's link, and an entry
/// for Segue's window.
struct PanelMenu {
  /// The number of the menu itself.
  static let root: Int32 = 0
  static let separator: Int32 = 1
  static let window: Int32 = 2
  static let send: Int32 = 3

  /// Increases with every change.
  private(set) var revision: UInt32 = 1
  private(set) var entries: [(number: Int32, found: Found)] = []
  private(set) var sendable: SendableActivity?
  /// The entries of the menu of devices.
  private(set) var receivers: [(number: Int32, receiver: Receiver)] = []
  private var last = PanelMenu.send

  enum Receiver: Equatable {
    case device(SendableActivity.Receiver)
    case phone(PhoneRow)

    var label: String {
      switch self {
      case .device(let device): device.name
      case .phone(let phone): "\(phone.name) - link only, with \(phone.program)"
      }
    }
  }

  /// Shows these. Returns whether the menu has changed.
  mutating func show(_ found: [Found], sendable: SendableActivity? = nil, phones: [PhoneRow] = []) -> Bool {
    let shown =
      (sendable?.receivers ?? []).map { Receiver.device($0) }
      + (sendable?.hasPage ?? false ? phones : []).map { Receiver.phone($0) }
    let sendable = shown.isEmpty ? nil : sendable
    let hasSame = sendable == self.sendable && shown == receivers.map { $0.receiver }
    guard found != entries.map({ $0.found }) || !hasSame else { return false }
    var numbers: [OfferID: Int32] = [:]
    for entry in entries { numbers[entry.found.id] = entry.number }
    entries = found.map { found in (numbers[found.id] ?? newNumber(), found) }
    if !hasSame {
      // The entry of a device may mean another activity now.
      receivers = shown.map { (newNumber(), $0) }
      self.sendable = sendable
    }
    revision &+= 1
    return true
  }

  /// A number that is still on the screen must not mean something else.
  private mutating func newNumber() -> Int32 {
    last = last == .max ? Self.send + 1 : last + 1
    return last
  }

  /// The numbers of the entries below one, in their order.
  private func numbers(below number: Int32) -> [Int32] {
    switch number {
    case Self.root: entries.map { $0.number } + (sendable == nil ? [] : [Self.send]) + [Self.separator, Self.window]
    case Self.send: receivers.map { $0.number }
    default: []
    }
  }

  /// All numbers below the menu, in their order.
  var numbers: [Int32] { numbers(below: Self.root) + numbers(below: Self.send) }

  /// The properties of the entry with this number; nil where there is none.
  func properties(of number: Int32) -> BusDictionary? {
    switch number {
    case Self.root: return ["children-display": .string("submenu")]
    case Self.separator: return ["type": .string("separator")]
    case Self.window: return ["label": .string("Open Segue")]
    case Self.send:
      return sendable.map {
        [
          "label": .string(Self.label("Send \(DisplayText.quoted($0.title)) to")),
          "children-display": .string("submenu"),
        ]
      }
    default:
      if let entry = entries.first(where: { $0.number == number }) {
        return [
          "label": .string(Self.label(([entry.found.title] + entry.found.details).joined(separator: " - "))),
          "icon-name": .string(entry.found.application.icon ?? SurfaceService.icon),
        ]
      }
      return receivers.first { $0.number == number }.map { ["label": .string(Self.label($0.receiver.label))] }
    }
  }

  /// The menu, or one of its entries, in the form of com.canonical.dbusmenu: number, properties, what is below it.
  /// `depth`: how far below; negative: all.
  func layout(of number: Int32, depth: Int32) -> BusValue? {
    guard let properties = properties(of: number) else { return nil }
    let below =
      depth == 0 ? [] : numbers(below: number).compactMap { layout(of: $0, depth: depth < 0 ? depth : depth - 1) }
    return .structure([
      .int32(number), .dictionary(properties), .array(elementSignature: "v", below.map { .variant($0) }),
    ])
  }

  /// A single underscore would mark the next letter as the entry's key.
  private static func label(_ text: String) -> String {
    var label = ""
    for scalar in text.unicodeScalars {
      if scalar == "_" { label.unicodeScalars.append("_") }
      label.unicodeScalars.append(scalar)
    }
    return label
  }
}
