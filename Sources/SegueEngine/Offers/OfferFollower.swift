import SegueCore

/// The list of offers that one application was sent, and the next one to send. The application gets a list only after
/// it has answered the one before (back-pressure): one list, the latest, waits for an application that does not answer.
public struct OfferFollower: Sendable {
  public enum Event: Sendable {
    /// The offers that it may continue now.
    case listed([ListedOffer])
    /// It has answered the last list, or will not answer.
    case heard
  }

  public enum Effect: Equatable, Sendable {
    case tell([ListedOffer])
  }

  /// Nil: it has been told nothing yet. The first list is told even if it is empty.
  private var told: [ListedOffer]?
  private var isHearing = false
  /// The list to send next.
  private var waiting: [ListedOffer]?

  public init() {}

  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .listed(let offers):
      waiting = offers
    case .heard:
      isHearing = false
    }
    guard !isHearing, let next = waiting else { return [] }
    waiting = nil
    if let told, told.looksLike(next) { return [] }
    told = next
    isHearing = true
    return [.tell(next)]
  }
}
