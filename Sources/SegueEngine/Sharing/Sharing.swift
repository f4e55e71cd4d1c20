import SegueCore

/// Decides what the user lets go to other devices (semantics X5): of which applications, to which devices, when, and
/// in which networks.
public struct Sharing: Sendable {
  public private(set) var choices: SharingChoices
  private var network = PresentNetwork.none
  private var seconds: UInt64 = 0

  init(_ choices: SharingChoices) { self.choices = choices }

  /// Why nothing is shared now; nil if it is.
  public enum PauseReason: Equatable, Sendable {
    /// The user has paused; until this time, in seconds since 1970, or until the user resumes.
    case paused(until: UInt64?)
    /// The user shares nothing in this network, or it is not known yet whether it is such a network.
    case network
  }

  public var pause: PauseReason? {
    switch choices.pause {
    case .untilResumed: return .paused(until: nil)
    case .until(let time) where seconds < time: return .paused(until: time)
    case .until, nil: break
    }
    guard !choices.networks.isEmpty else { return nil }
    switch network {
    case .none: return nil
    case .unrecognized: return .network
    case .recognized(let id): return choices.networks.contains(id) ? .network : nil
    }
  }

  /// Why nothing of the application goes to the device; nil if it may.
  func refusal(of application: AppID, to device: DeviceID) -> LocalVerdict? {
    if let pause { return pause == .network ? .pausedHere : .paused }
    if choices.applications.contains(application) { return .withheld }
    return choices.devices.contains(device) ? .withheldFromDevice : nil
  }

  /// Whether nothing of the application goes to any device.
  func withholds(_ application: AppID) -> Bool { choices.applications.contains(application) }

  // MARK: Changes

  mutating func replace(_ choices: SharingChoices) { self.choices = choices }
  mutating func isIn(_ network: PresentNetwork) { self.network = network }
  mutating func timeIs(_ seconds: UInt64) { self.seconds = seconds }
}
