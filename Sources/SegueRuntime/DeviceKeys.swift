import SegueCore

/// The list of userInfo's entries that never leave this device, written into the copies that stay on it: an application
/// that continues a copy has the entries without the objects that kept them here, and may have the activity saved for
/// another device before those objects do so again.
enum DeviceKeys {
  /// The entry that names the others. No application sees it.
  private static let name = Value.string("SegueDeviceKeys")

  /// Lists the keys in a copy that stays here.
  static func add(_ keys: Set<Value>, to userInfo: inout [Value: Value]) {
    let kept = keys.filter { userInfo[$0] != nil }.compactMap { $0.string }
    if !kept.isEmpty { userInfo[name] = .array(kept.sorted().map { .string($0) }) }
  }

  /// Takes the list out of a copy again.
  static func take(from userInfo: inout [Value: Value]) -> Set<Value> {
    Set(userInfo.removeValue(forKey: name)?.array ?? [])
  }
}
