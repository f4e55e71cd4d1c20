import SegueCore

/// Why an activity of this device is on offer to another device, or is not (semantics X1): the first reason that holds.
public enum LocalVerdict: Equatable, Sendable {
  /// The device lists it.
  case offered
  /// The device lists the last snapshot; the application has gone.
  case offeredAsSnapshot
  case notEligible
  /// Another activity of the application became current after it, here or in another process.
  case superseded
  /// The application took it off offer. It can still be continued by its id for the grace time.
  case resigned
  /// The user's configuration keeps the application's activities on this device.
  case withheld
  /// The user offers the device nothing.
  case withheldFromDevice
  /// It is only for the devices that it was sent to.
  case notSentThere
  /// The user has paused.
  case paused
  /// The user shares nothing in the present network.
  case pausedHere
  /// More activities are on offer than a device may offer, all of them newer.
  case tooMany
  /// The other device is not linked now.
  case offline

  /// A word for programs.
  public var word: String {
    switch self {
    case .offered: "offered"
    case .offeredAsSnapshot: "offered-as-snapshot"
    case .notEligible: "not-eligible"
    case .superseded: "superseded"
    case .resigned: "resigned"
    case .withheld: "withheld"
    case .withheldFromDevice: "withheld-from-device"
    case .notSentThere: "not-sent-there"
    case .paused: "paused"
    case .pausedHere: "paused-here"
    case .tooMany: "too-many"
    case .offline: "offline"
    }
  }

  public var isOffered: Bool { self == .offered || self == .offeredAsSnapshot }

  /// A sentence for a person; `device` is the other one's name.
  public func sentence(device name: String) -> String {
    let device = DisplayText.quoted(name, maximum: Limits.titleAdvised)
    return switch self {
    case .offered: "\(device) is offered it."
    case .offeredAsSnapshot: "Its application has gone; \(device) is offered the state as it was last saved."
    case .notEligible: "The application has made it not eligible for hand-off."
    case .superseded: "Another activity of the application became current after it."
    case .resigned: "The application has taken it off offer; for a moment it can still be had by its id."
    case .withheld: "You keep this application's activities on this device (`segue withhold` lists such choices)."
    case .withheldFromDevice: "You offer \(device) nothing (`segue withhold` lists such choices)."
    case .notSentThere: "It is only for the device that it was sent to."
    case .paused: "Segue is paused on this device: `segue resume` goes on."
    case .pausedHere: "Segue shares nothing in this network: `segue resume --network` changes that."
    case .tooMany: "A device offers \(Limits.offersPerDevice) activities at most, and newer ones are on offer."
    case .offline: "\(device) is not linked with this device now."
    }
  }
}
