import CLinux
import CSegue
import SegueCore

/// A kind of restorable object: a plugin's table, read once, checked, and bound to its functions.
final class PluginClass {
  /// Members of the table besides properties.
  struct Functions {
    let create:
      @convention(c) (UnsafePointer<segue_plugin_host>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32
    let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let update: (@convention(c) (UnsafeMutableRawPointer?, OpaqueActivity?) -> Int32)?
    let restore: (@convention(c) (UnsafeMutableRawPointer?, OpaqueActivity?) -> Int32)?
    let getExtension: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeRawPointer?)?
  }

  typealias OpaqueActivity = UnsafeMutablePointer<segue_activity>

  let description: PluginObjectDescription
  let properties: [HostedProperty]
  let scalars: PluginScalars
  let functions: Functions
  /// Restores the properties of `description.restored` together.
  let restore: PluginSetter?

  /// Throws `invalidArgument`, `limitExceeded` or `pluginFailed` for a malformed table.
  convenience init(_ table: UnsafePointer<segue_plugin_object_descriptor>) throws(SegueError) {
    let members = try PluginTable.read(table, "An object's descriptor")
    guard let id = CText.string(members.id), let name = CText.string(members.name) else {
      throw SegueError(.invalidArgument, "An object has no id or name, or not in UTF-8")
    }
    do throws(SegueError) {
      guard let create = members.create, let destroy = members.destroy else {
        throw SegueError(.invalidArgument, "it has no create or no destroy")
      }
      let functions = Functions(
        create: create, destroy: destroy, update: members.update_user_activity_state,
        restore: members.restore_user_activity_state, getExtension: members.get_extension)
      let properties = try Self.properties(members)
      let description = try PluginObjectDescription(
        id: id, name: name, properties: properties.map { $0.description },
        restoreKeys: try Self.texts(members.restore_keys, Int(members.restore_key_count)),
        restoreSignature: CText.string(members.restore_signature) ?? "")
      guard (members.restore == nil) == description.restored.isEmpty else {
        throw SegueError(.invalidArgument, "it has a restore function without keys, or keys without it")
      }
      for place in description.restored where properties[place].setter != nil {
        let key = properties[place].description.key
        throw SegueError(.invalidArgument, "\(key): it has a setter, and the restore function takes it too")
      }
      let restore = try members.restore.map { code throws(SegueError) in
        try PluginSetter(code, description.restored.map { properties[$0].type })
      }
      self.init(description, properties, functions, restore)
    } catch {
      throw error.about(DisplayText.clean(id, maximum: Limits.shownName))
    }
  }

  private init(
    _ description: PluginObjectDescription, _ properties: [HostedProperty], _ functions: Functions,
    _ restore: PluginSetter?
  ) {
    self.description = description
    self.properties = properties
    scalars = PluginScalars(properties)
    self.functions = functions
    self.restore = restore
  }

  deinit { scalars.deallocate() }

  private static func properties(_ members: segue_plugin_object_descriptor) throws(SegueError) -> [HostedProperty] {
    let count = Int(members.property_count)
    guard count <= Limits.pluginProperties else {
      throw SegueError(.limitExceeded, "it has more than \(Limits.pluginProperties) properties")
    }
    guard count > 0 else { return [] }
    guard let table = UnsafeRawPointer(members.properties) else {
      throw SegueError(.invalidArgument, "its table of properties is NULL")
    }
    let size = Int(members.property_size)
    var properties: [HostedProperty] = []
    for index in 0..<count {
      let entry = (table + index &* size).assumingMemoryBound(to: segue_plugin_property.self)
      properties.append(try HostedProperty(PluginTable.read(entry, size: size, "a property")))
    }
    return properties
  }

  private static func texts(
    _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
  ) throws(SegueError) -> [String] {
    guard count <= Limits.pluginParameters, count == 0 || pointer != nil else {
      throw SegueError(.invalidArgument, "its restore function has more than \(Limits.pluginParameters) keys, or NULL")
    }
    var texts: [String] = []
    for index in 0..<count {
      guard let text = CText.string(pointer?[index]) else {
        throw SegueError(.invalidArgument, "its restore function has a key that is NULL or not UTF-8")
      }
      texts.append(text)
    }
    return texts
  }

  /// The property with this key; nil if there is none.
  func property(_ key: UnsafePointer<CChar>) -> HostedProperty? {
    for property in properties where strcmp(property.key.pointer, key) == 0 { return property }
    return nil
  }
}
