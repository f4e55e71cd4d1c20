import SegueBus

/// What `org.segue.Control1` tells by itself.
enum ControlSignal: Equatable {
  /// The list of offers, or of this device's activities, has changed.
  case offers
  /// The list of devices has changed.
  case devices
  /// A continuation goes on.
  case continuation(id: String, state: String)

  /// Nil for a signal that this version does not know.
  init?(_ message: Message) {
    switch message.member {
    case "OffersChanged": self = .offers
    case "DevicesChanged": self = .devices
    case "ContinuationChanged":
      var values: [BusValue] = []
      // One beyond limits is none.
      do { values = try message.arguments() } catch {}
      guard values.count >= 2, let id = values[0].asString, let state = values[1].asString else { return nil }
      self = .continuation(id: id, state: state)
    default: return nil
    }
  }
}
