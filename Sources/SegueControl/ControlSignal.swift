import SegueBus
import SegueCore

/// The signals of org.segue.Control1.
public enum ControlSignal: Hashable, Sendable {
  /// The list of offers, or of this device's activities, has changed.
  case offers
  /// The list of stored copies has changed.
  case stored
  /// The list of devices has changed.
  case devices
  /// A pairing has come further.
  case pairing
  /// The list of introductions has changed.
  case introductions
  /// The list of links has changed, or whether the desktop hands links to Segue.
  case links
  /// A file or a stream is on its way, has come further, or is over.
  case transfers
  /// A continuation has reached another state. `id` is the continuation's, not the offer's.
  case continuation(id: String, state: ContinuationState)

  /// All signals, as the interface declares them.
  public static let declared = [
    BusSignal("OffersChanged"), BusSignal("StoredChanged"), BusSignal("DevicesChanged"),
    BusSignal("PairingChanged"), BusSignal("IntroductionsChanged"), BusSignal("LinksChanged"),
    BusSignal("TransfersChanged"),
    BusSignal("ContinuationChanged", [BusArgument("continuation", "s"), BusArgument("state", "s")]),
  ]

  public var name: String {
    switch self {
    case .offers: "OffersChanged"
    case .stored: "StoredChanged"
    case .devices: "DevicesChanged"
    case .pairing: "PairingChanged"
    case .introductions: "IntroductionsChanged"
    case .links: "LinksChanged"
    case .transfers: "TransfersChanged"
    case .continuation: "ContinuationChanged"
    }
  }

  public var values: [BusValue] {
    switch self {
    case .offers, .stored, .devices, .pairing, .introductions, .links, .transfers: []
    case .continuation(let id, let state): [id.busValue, state.busValue]
    }
  }

  /// Nil for a signal that this version does not know, or that exceeds a limit.
  public init?(_ message: Message) {
    switch message.member {
    case "OffersChanged": self = .offers
    case "StoredChanged": self = .stored
    case "DevicesChanged": self = .devices
    case "PairingChanged": self = .pairing
    case "IntroductionsChanged": self = .introductions
    case "LinksChanged": self = .links
    case "TransfersChanged": self = .transfers
    case "ContinuationChanged":
      guard let values = try? message.arguments(), values.count >= 2, let id = String.of(busValue: values[0]),
        let state = ContinuationState.of(busValue: values[1])
      else { return nil }
      self = .continuation(id: id, state: state)
    default: return nil
    }
  }
}

extension ContinuationState: BusField {}
