import SegueBus
import SegueCore

/// How far a pairing is: GetPairing.
public struct PairingRow: ControlValue {
  public var state = PairingPhase.closed
  /// The name that the other device gives itself.
  public var name: String?
  /// The digits that the user types on the other device.
  public var digits: String?
  /// The code that the user copies to the other device. Only the private door carries it.
  public var code: String?
  /// The addresses at which the other device can dial this one.
  public var addresses: [String] = []
  /// Whether discovery has found a device in the same network that pairs too.
  public var isFound = false
  /// The device that this one is paired with now, and the start of its id in words.
  public var deviceID: String?
  public var words: String?
  /// Why the pairing failed: the error's name, its sentence, and advice.
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

/// The step that a pairing waits for.
public enum PairingPhase: String, Sendable, BusField {
  /// Nobody pairs.
  case closed
  /// It waits for another device.
  case open
  /// It waits for an answer of the other device, which this one dials.
  case reaching
  /// It waits for the user to type the digits on the other device.
  case showing
  /// It waits for the user to type the digits here.
  case typing
  /// It waits for the user to say whether the other device took the digits.
  case asking
  /// It waits for both devices to write to disk.
  case ending
  case paired
  case failed
}
