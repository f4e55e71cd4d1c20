import CLinux
import CSegue
import SegueBus
import SegueCore

/// The host of one object of a plugin: segue/host.h. The plugin may call its functions from any thread, until it has
/// destroyed the object.
final class PluginHost: @unchecked Sendable {
  let application: Application
  /// "org.segue.text-position, position", for messages.
  let name: String
  let table: UnsafeMutablePointer<segue_plugin_host>
  /// The application's thread; nil while the object is being made.
  unowned(unsafe) var object: PluginObject?
  /// The application's thread.
  let closures = PluginClosures()
  /// The application's thread.
  private var isClosed = false
  /// Guards `hasComplained`: whether the log says that the plugin calls from another thread. Once is enough, since such
  /// a plugin does so at every change.
  private let complaint = Lock()
  private var hasComplained = false

  init(_ application: Application, _ tables: PluginTables, name: String) {
    self.application = application
    self.name = name
    table = .allocate(capacity: 1)
    table.initialize(
      to: segue_plugin_host(
        struct_size: UInt32(MemoryLayout<segue_plugin_host>.size), abi: UInt32(SEGUE_PLUGIN_ABI), host_data: nil,
        app_id: application.appIDText.pointer, values: tables.values, activities: tables.activities,
        needs_save: { PluginHost.of($0)?.needsSave() ?? -EINVAL },
        log: { PluginHost.of($0)?.log($1) ?? -EINVAL },
        defer: { PluginHost.of($0)?.postpone($1, $2, $3) ?? PluginHost.refuse($2, $3) },
        get_extension: { PluginHost.of($0)?.getExtension($1) }))
    table.pointee.host_data = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit { table.deallocate() }

  /// Called when the plugin has destroyed the object.
  func close() {
    object = nil
    isClosed = true
    closures.releaseAll()
  }

  /// A plugin may pass NULL whatever the header says.
  static func of(_ table: UnsafePointer<segue_plugin_host>?) -> PluginHost? {
    guard let table = UnsafePointer<segue_plugin_host>(bitPattern: UInt(bitPattern: table)),
      let data = table.pointee.host_data
    else { return nil }
    return Unmanaged<PluginHost>.fromOpaque(data).takeUnretainedValue()
  }

  /// Runs `body` on the application's thread. Gives the refusal for a function that is called from another one, or in
  /// the child of a fork: waking the loop there would wake the parent's.
  func onItsThread(_ function: String, _ body: () -> Int32) -> Int32 {
    guard !isBehindFork else { return -ECHILD }
    if let result = application.ifOnItsThread({ application.isClosed ? -ESHUTDOWN : body() }) { return result }
    let isFirst = complaint.withLock {
      defer { hasComplained = true }
      return !hasComplained
    }
    if isFirst { say("it has called \(function) from another thread than the application's; defer to that") }
    return -EPERM
  }

  private var isBehindFork: Bool { application.trouble(onItsThread: false) == .afterFork }

  private func needsSave() -> Int32 {
    onItsThread("needs_save") {
      object?.changedByItself()
      return 0
    }
  }

  private func log(_ line: UnsafePointer<CChar>?) -> Int32 {
    guard !isBehindFork else { return -ECHILD }
    guard let line = CText.string(line) else { return -EINVAL }
    say(DisplayText.clean(line))
    return application.isClosed ? -ESHUTDOWN : 0
  }

  /// Any thread.
  func say(_ line: String) {
    application.log("\(name): \(line)")
  }

  private func postpone(
    _ function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ userdata: UnsafeMutableRawPointer?,
    _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) -> Int32 {
    guard !isBehindFork else { return Self.refuse(userdata, destroy, -ECHILD) }
    guard let function else { return Self.refuse(userdata, destroy) }
    let host = Unmanaged.passRetained(self)
    nonisolated(unsafe) let userdata = userdata
    // The body runs in any case, on the application's thread, and holds no reference that this thread could release
    // last.
    let isQueued = application.loop.post {
      if !host.takeUnretainedValue().isClosed { function(userdata) }
      destroy?(userdata)
      host.release()
    }
    guard !isQueued else { return 0 }
    host.release()
    return Self.refuse(userdata, destroy, -ESHUTDOWN)
  }

  private static func refuse(
    _ userdata: UnsafeMutableRawPointer?, _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
    _ result: Int32 = -EINVAL
  ) -> Int32 {
    destroy?(userdata)
    return result
  }

  private func getExtension(_ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    CText.string(id) == SEGUE_PLUGIN_CLOSURES ? UnsafeRawPointer(PluginClosures.table) : nil
  }
}
