/// What one application has been told of the offers that it may continue. It is told of a list only when it has heard
/// the one before: an application that does not listen has one list waiting, however much changes, and then the last.
public struct OfferFollower: Sendable {
  public enum Event: Sendable {
    /// What it may continue now.
    case listed([ListedOffer])
    /// It has answered, or will not.
    case heard
  }

  public enum Effect: Equatable, Sendable {
    case tell([ListedOffer])
  }

  /// Nil: it has been told nothing yet. The first list is told even if it is empty.
  private var told: [ListedOffer]?
  private var isHearing = false
  /// What it is to be told next.
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
