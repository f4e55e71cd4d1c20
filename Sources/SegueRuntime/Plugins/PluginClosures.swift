import CLinux
import CSegue
import SegueCore

/// The closures of one object: the extension of segue/closure.h. The application's thread.
final class PluginClosures {
  private var closures: [UnsafeMutableRawPointer: PluginClosure] = [:]

  /// The extension's table; memory that is never freed.
  nonisolated(unsafe) static let table: UnsafePointer<segue_plugin_closures> = {
    let table = UnsafeMutablePointer<segue_plugin_closures>.allocate(capacity: 1)
    table.initialize(
      to: segue_plugin_closures(
        struct_size: UInt32(MemoryLayout<segue_plugin_closures>.size), reserved: 0,
        make: { host, signature, handler, userdata, destroy, function, closure in
          let userdata = ClosureUserdata(userdata, destroy)
          guard let host = PluginHost.of(host) else { return -EINVAL }
          return host.onItsThread("a closure's make") {
            host.closures.make(host, signature, handler, userdata, function, closure)
          }
        },
        release: { host, closure in
          guard let host = PluginHost.of(host) else { return -EINVAL }
          return host.onItsThread("a closure's release") { host.closures.release(closure) }
        }))
    return UnsafePointer(table)
  }()

  private func make(
    _ host: PluginHost, _ signature: UnsafePointer<CChar>, _ handler: segue_plugin_closure_function?,
    _ userdata: ClosureUserdata, _ outFunction: UnsafeMutablePointer<segue_plugin_function?>?,
    _ outClosure: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    guard let text = CText.string(signature), let handler, let outFunction, let outClosure else { return -EINVAL }
    guard closures.count < Limits.pluginClosures else { return -E2BIG }
    do throws(SegueError) {
      let closure = try PluginClosure(text, handler, userdata)
      closures[closure.token] = closure
      outFunction.pointee = unsafeBitCast(closure.code, to: segue_plugin_function.self)
      outClosure.pointee = closure.token
      return 0
    } catch {
      host.say("a closure: \(error.message)")
      return error.code == .system ? -ENOTSUP : -EINVAL
    }
  }

  private func release(_ closure: UnsafeMutableRawPointer?) -> Int32 {
    guard let closure else { return 0 }
    return closures.removeValue(forKey: closure) == nil ? -EINVAL : 0
  }

  func releaseAll() {
    // A function that frees a closure's data may release another closure, so the table is emptied first.
    let released = closures
    closures = [:]
    withExtendedLifetime(released) {}
  }
}
