import SegueCore

/// The plugins that the application has loaded, and their objects: a part of the application.
final class LoadedPlugins {
  private var plugins: [PluginID: Plugin] = [:]
  /// Their code runs for the first time.
  private var loading = Set<PluginID>()
  /// By their numbers as responders; those that the plugin has not destroyed.
  private var objects: [UInt64: Unmanaged<PluginObject>] = [:]

  func plugin(_ id: PluginID) -> Plugin? { plugins[id] }

  /// The plugin's code will run. Throws where there is no room, and where it is running, with the plugin's path.
  func begin(_ id: PluginID, _ path: String) throws(SegueError) {
    guard plugins.count < Limits.plugins else {
      throw SegueError(.limitExceeded, "An application loads at most \(Limits.plugins) plugins.")
    }
    guard loading.insert(id).inserted else { throw SegueError(.invalidArgument, "\(path): it is being loaded") }
  }

  /// It has run; nil where that failed.
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

  /// The application is closing: every object is destroyed, and then its plugin ends.
  func close() {
    for object in Array(objects.values) { object.takeUnretainedValue().end() }
    for plugin in plugins.values { plugin.endIfUnused() }
    plugins = [:]
  }
}
