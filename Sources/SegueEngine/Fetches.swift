import SegueCore

/// The fetches from other devices that are under way.
struct Fetches {
  /// The purpose of a fetch.
  enum Purpose {
    case continuation(Identifier)
    /// A copy to keep, which no user has chosen (semantics X7).
    case keeping(OfferID)
  }

  private var purposes: [FetchID: Purpose] = [:]
  private var count: FetchID = 0

  mutating func begin(_ purpose: Purpose) -> FetchID {
    count += 1
    purposes[count] = purpose
    return count
  }

  /// The fetch has ended, or is no longer wanted. Returns its purpose; nil if it was not under way.
  mutating func end(_ id: FetchID) -> Purpose? { purposes.removeValue(forKey: id) }
}
