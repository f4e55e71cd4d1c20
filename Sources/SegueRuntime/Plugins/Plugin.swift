import CLinux
import CSegue
import SegueCore

/// A plugin that an application has loaded. It stays loaded as long as the process lives.
public final class Plugin: Handle, @unchecked Sendable {
  public let application: Application
  public let metadata: PluginMetadata
  /// The metadata's texts for C, borrowed as long as the plugin lives.
  public let idText: CText
  public let nameText: CText
  public let versionText: CText
  /// The host's functions, which its objects get.
  let tables: PluginTables
  let trial: PluginTrial
  private let file: PluginFile
  private let entry: segue_plugin_entry
  /// The kinds of objects, in the order of the metadata.
  private let classes: [PluginClass]
  /// The number of objects that are not destroyed yet.
  var objectCount = 0 {
    didSet { endIfUnused() }
  }
  private var isEnded = false

  /// Loads a plugin, or gives the one that was loaded from this file before; the application's thread. `tables` are
  /// the functions of the ABI.
  public static func load(
    _ path: String, into application: Application, folders: PluginFolders, tables: PluginTables,
    trial: PluginTrial = PluginTrial()
  ) throws(SegueError) -> Plugin {
    let file = try PluginFile(path: path, folders: folders)
    let plugins = application.plugins
    if let other = plugins.plugin(file.id) {
      guard other.file.isSameFile(as: file) else {
        throw SegueError(
          .invalidArgument, "\(path): another file with the id \(file.id.string) is loaded: \(other.file.path)")
      }
      return other
    }
    try plugins.begin(file.id, path)
    var loaded: Plugin?
    defer { plugins.end(file.id, loaded) }
    let plugin = try Plugin(file, application, tables, trial)
    guard !application.isClosed else {
      plugin.endIfUnused()
      throw SegueError(.applicationExited, "\(path): the application was closed while it was loaded")
    }
    loaded = plugin
    return plugin
  }

  private convenience init(
    _ file: PluginFile, _ application: Application, _ tables: PluginTables, _ trial: PluginTrial
  ) throws(SegueError) {
    // The ABI is checked before any of the plugin's code runs: constructors run when it is loaded.
    try Self.checkABI(file.metadata.abi, file.path)
    trial.enters("the loading of the library")
    let entry = try Self.open(file)
    trial.enters("init")
    try Self.start(entry, file, trial)
    do throws(SegueError) {
      self.init(file, application, tables, trial, entry, try Self.classes(of: entry, as: file.metadata, trial))
    } catch {
      trial.enters("deinit")
      entry.deinit?()
      throw error.about(file.path)
    }
  }

  private init(
    _ file: PluginFile, _ application: Application, _ tables: PluginTables, _ trial: PluginTrial,
    _ entry: segue_plugin_entry, _ classes: [PluginClass]
  ) {
    metadata = file.metadata
    self.entry = entry
    self.classes = classes
    self.file = file
    self.application = application
    self.tables = tables
    self.trial = trial
    idText = CText(metadata.id.string)
    nameText = CText(metadata.name)
    versionText = CText(metadata.version)
    super.init(kind: .plugin, external: 0)
  }

  private static func checkABI(_ abi: Int64, _ path: String) throws(SegueError) {
    guard abi == Int64(SEGUE_PLUGIN_ABI) else {
      throw SegueError(
        .versionMismatch, "\(path): the plugin is of ABI \(abi), and this library hosts \(SEGUE_PLUGIN_ABI)",
        advice: abi > Int64(SEGUE_PLUGIN_ABI) ? "Update Segue." : "Install a version of the plugin for this Segue.")
    }
  }

  private static func open(_ file: PluginFile) throws(SegueError) -> segue_plugin_entry {
    guard let symbol = dlsym(try PluginLibrary.load(file), "segue_entry") else {
      throw SegueError(
        .protocolViolation, "\(file.path) exports no segue_entry",
        advice: "Define it with SEGUE_PLUGIN_EXPORT (segue/plugin.h).")
    }
    // The entry's first two members are the same in every ABI.
    try checkABI(Int64((symbol + 4).loadUnaligned(as: UInt32.self)), file.path)
    do throws(SegueError) {
      let entry = try PluginTable.read(
        UnsafePointer(symbol.assumingMemoryBound(to: segue_plugin_entry.self)), "segue_entry")
      guard let id = CText.string(entry.id), id == file.id.string else {
        throw SegueError(.protocolViolation, "its entry does not say the id \(file.id.string)")
      }
      guard entry.get_factory != nil else { throw SegueError(.protocolViolation, "its entry has no get_factory") }
      return entry
    } catch {
      throw SegueError(.protocolViolation, "\(file.path): \(error.message)", advice: error.advice)
    }
  }

  private static func start(
    _ entry: segue_plugin_entry, _ file: PluginFile, _ trial: PluginTrial
  ) throws(SegueError) {
    let result = entry.`init`?() ?? 0
    trial.note(result, of: "its init", by: file.id.string)
    guard result >= 0 else {
      throw SegueError(.pluginFailed, "\(file.path): its init has failed: \(CText.message(ofErrno: result))")
    }
  }

  private static func classes(
    of entry: segue_plugin_entry, as metadata: PluginMetadata, _ trial: PluginTrial
  ) throws(SegueError) -> [PluginClass] {
    trial.enters("get_factory")
    guard let table = entry.get_factory?(SEGUE_PLUGIN_OBJECT_FACTORY) else {
      throw SegueError(.protocolViolation, "it has no factory \(SEGUE_PLUGIN_OBJECT_FACTORY)")
    }
    trial.enters("the reading of its tables")
    do throws(SegueError) {
      let factory = try PluginTable.read(
        table.assumingMemoryBound(to: segue_plugin_object_factory.self), "its factory")
      guard factory.count <= UInt32(Limits.pluginObjects), factory.count == 0 || factory.descriptors != nil else {
        throw SegueError(.limitExceeded, "it has more than \(Limits.pluginObjects) objects, or a table that is NULL")
      }
      var classes: [PluginClass] = []
      for index in 0..<Int(factory.count) {
        guard let descriptor = factory.descriptors?[index] else {
          throw SegueError(.invalidArgument, "a descriptor of its factory is NULL")
        }
        classes.append(try PluginClass(descriptor))
      }
      let differences = metadata.differences(
        id: metadata.id.string, abi: metadata.abi, objects: classes.map { $0.description })
      guard let first = differences.first else { return classes }
      trial.differs(differences)
      throw SegueError(
        .invalidArgument, differences.count == 1 ? first : "\(first), and \(differences.count &- 1) more differences",
        advice: "`segue plugin check` tells in what they differ.")
    } catch {
      throw SegueError(.protocolViolation, error.message, advice: error.advice)
    }
  }

  /// The application's thread.
  func objectClass(_ id: String) throws(SegueError) -> PluginClass {
    guard let found = classes.first(where: { $0.description.id == id }) else {
      throw SegueError(
        .notFound, "\(metadata.id.string) has no object \(DisplayText.clean(id, maximum: Limits.shownName))",
        advice: "It has: \(classes.map { $0.description.id }.joined(separator: ", ")).")
    }
    return found
  }

  /// Ends the plugin if its application has closed and its last object is gone.
  func endIfUnused() {
    guard application.isClosed, objectCount == 0, !isEnded else { return }
    isEnded = true
    entry.deinit?()
  }
}

/// The ABI's functions, as plugins get them; memory that is never freed.
public struct PluginTables {
  let values: UnsafePointer<segue_plugin_values>
  let activities: UnsafePointer<segue_plugin_activities>

  public init(values: UnsafePointer<segue_plugin_values>, activities: UnsafePointer<segue_plugin_activities>) {
    self.values = values
    self.activities = activities
  }
}
