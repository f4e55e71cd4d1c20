import CLinux
import SegueBus
import SegueCore

/// The shared libraries of plugins, which stay loaded, whatever becomes of what loaded them.
///
/// Their files stay open for as long: the loader knows a library by the path that it was opened by, here the number of a
/// descriptor, and gives it once more where another file has this number by then.
public final class PluginLibrary: @unchecked Sendable {
  private static let shared = PluginLibrary()
  private let lock = Lock()
  private var files: [PluginFile] = []

  /// Loads a plugin's library and runs its constructors, unless that was done before. What dlsym() takes; throws
  /// `.pluginFailed`. Any thread.
  public static func load(_ file: PluginFile) throws(SegueError) -> UnsafeMutableRawPointer {
    let known = shared.lock.withLock { shared.files.first { $0.isSameFile(as: file) } }
    // The lock is not held: constructors do what they like.
    let path = (known ?? file).loaderPath
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
      throw SegueError(.pluginFailed, "\(PluginPath.shown(file.path)) cannot be loaded: \(reason(path))")
    }
    if known == nil { shared.lock.withLock { shared.files.append(file) } }
    return library
  }

  /// Without the name that the loader has for the file, which says nothing to anybody.
  private static func reason(_ path: String) -> String {
    let message = dlerror().map { String(cString: $0) } ?? "no reason is given"
    let prefix = path + ": "
    return DisplayText.clean(message.rest(after: prefix) ?? message)
  }
}
