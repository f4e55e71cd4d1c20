import SegueCore

/// The plugins that the application has loaded, and their objects: a part of the application.
final class LoadedPlugins {
  private var plugins: [PluginID: Plugin] = [:]
  /// The plugins whose code runs for the first time.
  private var loading = Set<PluginID>()
  /// The objects that their plugins have not destroyed, by their numbers as responders.
  private var objects: [UInt64: Unmanaged<PluginObject>] = [:]

  func plugin(_ id: PluginID) -> Plugin? { plugins[id] }

  /// Notes that the plugin's code will run. Throws if there is no room, or if it is running already, with the plugin's
  /// path.
  func begin(_ id: PluginID, _ path: String) throws(SegueError) {
    guard plugins.count < Limits.plugins else {
      throw SegueError(.limitExceeded, "An application loads at most \(Limits.plugins) plugins.")
    }
    guard loading.insert(id).inserted else { throw SegueError(.invalidArgument, "\(path): it is being loaded") }
  }

  /// Notes that the plugin's code has run; nil if that failed.
  func end(_ id: PluginID, _ plugin: Plugin?) {
    loading.remove(id)
    if let plugin { plugins[id] = plugin }
  }

  /// Throws where there is no room for another object.
  func checkRoom() throws(SegueError) {
    guard objects.count < Limits.pluginInstances else {
      throw SegueError(.limitExceeded, "An application has at most \(Limits.pluginInstances) objects of plugins.")
    }
  }

  func made(_ object: PluginObject) { objects[object.number] = Unmanaged.passUnretained(object) }

  func ended(_ object: PluginObject) { objects[object.number] = nil }

  /// Called when the application closes: destroys every object, and then ends its plugin.
  func close() {
    for object in Array(objects.values) { object.takeUnretainedValue().end() }
    for plugin in plugins.values { plugin.endIfUnused() }
    plugins = [:]
  }
}
