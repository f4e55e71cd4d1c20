import SegueCore

/// That another device has removed this one, and how that is known.
public enum UnpairedThere: Equatable, Sendable {
  /// It has said so itself.
  case said
  /// A device that was dialled at this address of its does not know this one. It may be another one.
  case seems(at: LinkAddress)

  /// One sentence for the user, and what to do. `device`: how commands name it.
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
