import CSegue
import SegueCore

/// A property of a plugin's object, bound to its functions.
final class HostedProperty {
  let description: PluginProperty
  /// The description's type, copied for fast access at every call.
  let type: PluginType
  /// The key as a C string, for comparison.
  let key: CText
  let getter: PluginGetter?
  let setter: PluginSetter?

  /// Throws as `PluginClass` does, with the key.
  convenience init(_ entry: segue_plugin_property) throws(SegueError) {
    guard let key = CText.string(entry.key), let signature = CText.string(entry.signature) else {
      throw SegueError(.invalidArgument, "a property has no key or signature, or not in UTF-8")
    }
    do throws(SegueError) {
      let type = try PluginType(signature: signature)
      let description = try PluginProperty(
        key: key, type: type, isRequired: entry.flags & Flag.required != 0,
        isPortable: try Self.isPortable(entry.flags), defaultText: try Self.text(entry.default_value))
      let getter = try entry.getter.map { code throws(SegueError) in
        try PluginGetter(code, type, freeResult: entry.free_result)
      }
      let setter = try entry.setter.map { code throws(SegueError) in try PluginSetter(code, [type]) }
      self.init(description, getter, setter)
    } catch {
      let key = DisplayText.clean(key, maximum: Limits.keyLength)
      throw error.about(key)
    }
  }

  private init(_ description: PluginProperty, _ getter: PluginGetter?, _ setter: PluginSetter?) {
    self.description = description
    type = description.type
    key = CText(description.key)
    self.getter = getter
    self.setter = setter
  }

  /// The flags of segue/plugin.h.
  private enum Flag {
    static let portable: UInt64 = 1
    static let thisDevice: UInt64 = 2
    static let required: UInt64 = 4
  }

  private static func isPortable(_ flags: UInt64) throws(SegueError) -> Bool {
    guard flags & ~(Flag.portable | Flag.thisDevice | Flag.required) == 0 else {
      throw SegueError(.invalidArgument, "it has unknown flags")
    }
    let isPortable = flags & Flag.portable != 0
    guard isPortable != (flags & Flag.thisDevice != 0) else {
      throw SegueError(
        .invalidArgument, "it is neither portable nor of this device only, or both",
        advice: "Give it SEGUE_PROPERTY_PORTABLE or SEGUE_PROPERTY_THIS_DEVICE.")
    }
    return isPortable
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) throws(SegueError) -> String? {
    let text = CText.string(pointer)
    guard text != nil || pointer == nil else { throw SegueError(.invalidArgument, "its default is not UTF-8") }
    return text
  }
}
