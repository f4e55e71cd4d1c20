import SegueCore

/// userInfo's limits and its way to and from bytes.
enum UserInfo {
  /// Checks entries before they are added, as far as possible; the snapshot checks the size of the whole.
  static func check(_ entries: [Value: Value]) throws(SegueError) {
    _ = try CBOR.encode(.dictionary(entries))
  }

  /// Throws `handoffUserInfoTooLarge` with the size, the limit and the largest key (semantics E2).
  static func encode(_ entries: [Value: Value]) throws(SegueError) -> CBOR.Encoded {
    try CBOR.encode(userInfo: .dictionary(entries))
  }

  /// Throws `protocolViolation` unless `bytes` encode a dictionary within the limits.
  static func decode(_ bytes: [UInt8]) throws(SegueError) -> [Value: Value] {
    guard bytes.count <= Limits.userInfoMaximum, case .dictionary(let entries) = try CBOR.decode(bytes) else {
      throw SegueError(.protocolViolation, "The activity's state is not a dictionary within the limits.")
    }
    return entries
  }
}
