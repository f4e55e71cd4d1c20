import SegueBus
import SegueCore

/// How far a pairing is: GetPairing.
public struct PairingRow: ControlValue {
  public var state = PairingPhase.closed
  /// What the other device calls itself.
  public var name: String?
  /// The digits that are to be typed on the other device.
  public var digits: String?
  /// The code that is to be copied to the other device. It is told at the door only.
  public var code: String?
  /// Where the other device can dial this one.
  public var addresses: [String] = []
  /// Whether a device in the same network that pairs too is found.
  public var isFound = false
  /// The device that this one is paired with now, and the start of its id in words.
  public var deviceID: String?
  public var words: String?
  /// Why it failed: the error's name, its sentence, and what can be done.
  public var error: String?
  public var message: String?
  public var advice: String?

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("state", &state, isNeeded: true)
    fields("name", &name)
    fields("digits", &digits)
    fields("code", &code)
    fields("addresses", &addresses)
    fields("found", &isFound)
    fields("device-id", &deviceID)
    fields("words", &words)
    fields("error", &error)
    fields("message", &message)
    fields("advice", &advice)
  }

  public mutating func conceal() { code = nil }
}

/// What a pairing waits for.
public enum PairingPhase: String, Sendable, BusField {
  /// Nobody pairs.
  case closed
  /// For another device.
  case open
  /// For an answer of the other device, which is dialled.
  case reaching
  /// For the user, to type the digits on the other device.
  case showing
  /// For the user, to type the digits here.
  case typing
  /// For the user, to say whether the other device took the digits.
  case asking
  /// For the disks.
  case ending
  case paired
  case failed
}
