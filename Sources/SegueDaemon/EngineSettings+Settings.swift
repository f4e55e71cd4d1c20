import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import SegueState

// The engine's settings on this machine.

extension EngineSettings {
  /// The settings from segue.conf and the environment.
  init(_ settings: Settings, identity: Identity) {
    let identifiers = IdentifierSupply()
    self.init(
      device: identity.id, deviceName: settings.deviceName, boot: Boot.id, times: settings.times,
      policy: settings.policy, discovery: settings.discovery,
      showsOffers: settings.showsOffers, noticesPerMinute: settings.noticesPerMinute,
      makeIdentifier: { identifiers.next() }, alias: { $0.alias(for: $1) }, crypto: PairingKeys(identity: identity))
  }
}

extension Moment {
  /// By this machine's clocks.
  static var now: Moment {
    Moment(instant: .now, seconds: secondsSince1970(), microseconds: monotonicMicroseconds())
  }
}

extension Log {
  func say(_ level: Effect.LogLevel, _ text: String, cause: String) {
    switch level {
    case .debug: debug(text)
    case .notice: notice(text, cause: cause)
    case .warning: warning(text, cause: cause)
    }
  }
}
