import SegueCore

/// The devices to which the activities of directed applications were sent, and which alone are offered them.
struct DirectedOffers {
  private var receivers: [Identifier: Set<DeviceID>] = [:]

  func has(_ activity: Identifier, for device: DeviceID) -> Bool { receivers[activity]?.contains(device) ?? false }

  func has(_ proposal: Proposal, for device: DeviceID) -> Bool {
    if case .activity(let id) = proposal.content { has(id, for: device) } else { false }
  }

  mutating func add(_ activity: Identifier, for device: DeviceID) { receivers[activity, default: []].insert(device) }

  mutating func remove(_ activity: Identifier, for device: DeviceID) { receivers[activity]?.remove(device) }

  /// Forgets the activities that are gone.
  mutating func keep(_ isThere: (Identifier) -> Bool) { receivers = receivers.filter { isThere($0.key) } }

  /// The device is no longer paired.
  mutating func forget(_ device: DeviceID) { for id in receivers.keys { receivers[id]?.remove(device) } }
}
