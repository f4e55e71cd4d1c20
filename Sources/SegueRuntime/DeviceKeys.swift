import SegueCore

/// Which entries of userInfo never leave this device, told in the copies that stay on it: whoever continues one has
/// the entries without those who said so, and may have the activity saved for another device before they say it again.
enum DeviceKeys {
  /// The entry that names the others. No application sees it.
  private static let name = Value.string("SegueDeviceKeys")

  /// Names the keys, in a copy that stays here.
  static func add(_ keys: Set<Value>, to userInfo: inout [Value: Value]) {
    let kept = keys.filter { userInfo[$0] != nil }.compactMap { $0.string }
    if !kept.isEmpty { userInfo[name] = .array(kept.sorted().map { .string($0) }) }
  }

  /// Takes them out of a copy again.
  static func take(from userInfo: inout [Value: Value]) -> Set<Value> {
    Set(userInfo.removeValue(forKey: name)?.array ?? [])
  }
}
