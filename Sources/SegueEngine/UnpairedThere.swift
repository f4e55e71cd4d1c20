import SegueCore

/// How it is known that another device has removed this one.
public enum UnpairedThere: Equatable, Sendable {
  /// The device has said so itself.
  case said
  /// The device that was dialled at this address does not know this one. It may be another device.
  case seems(at: LinkAddress)

  /// One sentence for the user, with what to do. `device`: the name that commands take.
  public func sentence(_ device: String) -> String {
    let cure = "Pair again with `segue pair` on both, or forget it here too: segue unpair \(device)"
    return switch self {
    case .said: "It was unpaired there. \(cure)"
    case .seems(let address):
      "The device that answers at \(address) does not know this one: it was unpaired there, or another one has its "
        + "address now. \(cure)"
    }
  }
}
