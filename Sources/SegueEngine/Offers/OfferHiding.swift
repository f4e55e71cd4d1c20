import SegueCore

/// Why an offer is not shown on a device that could continue it. It can still be continued by its id.
public enum OfferHiding: Equatable, Sendable {
  /// This device has continued it, and it has not changed since (semantics V15).
  case continuedHere
  /// It was made from this device's own current activity, and neither has changed since (semantics V15).
  case madeFromOwn
  /// The user has paused (semantics X5).
  case paused

  /// The reason, for a program.
  public var word: String {
    switch self {
    case .continuedHere: "continued"
    case .madeFromOwn: "own"
    case .paused: "paused"
    }
  }

  /// The reason, for a person.
  public var sentence: String {
    switch self {
    case .continuedHere: "It was continued on this device, and has not changed since."
    case .madeFromOwn: "It goes on with what is open on this device, and neither has changed since."
    case .paused: "Segue is paused on this device: `segue resume` shows it again."
    }
  }
}

extension Offer {
  /// Why the offer is hidden; nil if it is shown. `continued`: the revision at which this device has continued it.
  /// `own`: the revision of an activity that is current on this device and has not changed since; nil for any other.
  public func hiding(continued: UInt64?, own: (Identifier) -> UInt64?) -> OfferHiding? {
    // An announcement from before the snapshot that this device has says nothing about later changes.
    if let continued, revision < continued || revision == continued && !isChanged { return .continuedHere }
    if let from = continuedFrom, !isChanged, own(from.id) == from.revision { return .madeFromOwn }
    return nil
  }
}
