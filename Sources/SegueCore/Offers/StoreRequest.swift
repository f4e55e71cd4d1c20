/// What the store can be asked. Requests are done in their order.
public enum StoreRequest: Equatable, Sendable {
  /// Keep a copy in place of an earlier one: of the same activity, or for search of the same persistent identifier.
  case put(StoredCopy, Snapshot)
  /// A copy's state.
  case snapshot(StoredCopy.Key)
  case remove([StoredCopy.Key])
  /// Give copies another end: in so many milliseconds, or (nil) as late as any.
  case setLife(UInt64?, of: [StoredCopy.Key])
  /// Remove what has expired.
  case expire
}

/// What the store answers, besides errors.
public enum StoreAnswer: Equatable, Sendable {
  /// The copy with its times and size, and what gave way to it.
  case put(StoredCopy, gone: [StoredCopy.Key])
  /// Nil where there is none any more.
  case snapshot(Snapshot?)
  case removed([StoredCopy.Key])
  /// The copies with their new ends.
  case lives([StoredCopy])
  case expired([StoredCopy.Key])
}
