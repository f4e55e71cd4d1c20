import SegueCore

/// A request to the store. Requests are carried out in their order.
public enum StoreRequest: Equatable, Sendable {
  /// Store a copy. It replaces an earlier copy of the same activity; a copy for search also replaces one with the same
  /// persistent identifier.
  case put(StoredCopy, Snapshot)
  /// Read a copy's state.
  case snapshot(StoredCopy.Key)
  case remove([StoredCopy.Key])
  /// Let copies expire in so many milliseconds; nil: after the usual time.
  case setLife(UInt64?, of: [StoredCopy.Key])
  /// Remove what has expired.
  case expire
}

/// The store's answer to a request, if it did not fail.
public enum StoreAnswer: Equatable, Sendable {
  /// The copy with its times and size, and the copies that were removed to make room for it.
  case put(StoredCopy, gone: [StoredCopy.Key])
  /// The state; nil if the copy is not there any more.
  case snapshot(Snapshot?)
  case removed([StoredCopy.Key])
  /// The copies with their new expiry.
  case lives([StoredCopy])
  case expired([StoredCopy.Key])
}
