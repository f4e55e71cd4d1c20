import CLinux
import SegueBus
import SegueCore

/// The shared libraries of plugins, which stay loaded, even after the application that loaded them is gone.
///
/// Their files stay open for as long: the loader identifies a library by the path that it was opened by, here the
/// number of a descriptor, and would return it again for another file that has this number by then.
public final class PluginLibrary: @unchecked Sendable {
  private static let shared = PluginLibrary()
  private let lock = Lock()
  private var files: [PluginFile] = []

  /// Loads a plugin's library and runs its constructors, unless that was done before. Returns the handle for dlsym();
  /// throws `.pluginFailed`. Any thread.
  public static func load(_ file: PluginFile) throws(SegueError) -> UnsafeMutableRawPointer {
    let known = shared.lock.withLock { shared.files.first { $0.isSameFile(as: file) } }
    // The lock is not held: constructors may call anything.
    let path = (known ?? file).loaderPath
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
      throw SegueError(.pluginFailed, "\(PluginPath.shown(file.path)) cannot be loaded: \(reason(path))")
    }
    if known == nil { shared.lock.withLock { shared.files.append(file) } }
    return library
  }

  /// The loader's message without its name for the file, which means nothing to a person.
  private static func reason(_ path: String) -> String {
    let message = dlerror().map { String(cString: $0) } ?? "no reason is given"
    let prefix = path + ": "
    return DisplayText.clean(message.rest(after: prefix) ?? message)
  }
}
