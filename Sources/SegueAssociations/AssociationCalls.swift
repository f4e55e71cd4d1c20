import CAssociations
import Glibc
import SegueBus
import SegueCore

/// The functions that need libcurl and libcrypto: they are in a shared library of their own, so that only a process that
/// fetches or signs loads these two.
typealias AssociationCalls = segue_association_calls

extension AssociationCalls {
  /// They stay loaded. Throws `system` without the library or what it needs, and where it is of another version than this
  /// program.
  static func load() throws(SegueError) -> AssociationCalls {
    let file = (ProgramPath.executableFolder ?? "") + "/segue-associations.so"
    guard let library = dlopen(file, RTLD_NOW | RTLD_LOCAL), let table = dlsym(library, "segue_association_calls")
    else {
      let reason = dlerror().map { String(cString: $0) } ?? file
      throw SegueError(.system, "What fetches and signs association files cannot be loaded: \(reason).")
    }
    let calls = table.load(as: AssociationCalls.self)
    guard calls.version == SEGUE_ASSOCIATION_VERSION else {
      throw SegueError(.system, "\(file) is of another version of Segue.")
    }
    return calls
  }
}
