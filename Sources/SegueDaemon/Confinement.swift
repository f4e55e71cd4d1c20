import CConfine
import Glibc
import SegueBus
import SegueCore
import SegueState

/// Confines the daemon's threads that read and write files (Landlock), so that a mistake in them cannot be used against
/// the user's other files: they change files in the daemon's own directories only, and start no program.
///
/// The thread of the loop is not confined. It recognises callers by /proc, and the kernel lets no confined thread look
/// into a process that is not confined as well.
final class Confinement: Sendable {
  /// The rules; nil where the kernel has no Landlock.
  private let rules: FileDescriptor?

  /// Threads that enter may change files beneath these paths only. A directory that is made anew later is not among
  /// them.
  init(changing paths: [String]) {
    let allowed = paths.map { segue_allowed(path: UnsafePointer(strdup($0)), kinds: UInt32(SEGUE_MAY_CHANGE)) }
    defer { for place in allowed { free(UnsafeMutablePointer(mutating: place.path)) } }
    rules = FileDescriptor(
      segue_make_rules(UInt32(SEGUE_MAY_CHANGE | SEGUE_MAY_EXECUTE), allowed, allowed.count))
  }

  /// The daemon's, from its start on. No other thread runs yet when it is set.
  private nonisolated(unsafe) static var process: Confinement?

  /// Lets the daemon's threads change files in its directories, which are made first, since only existing ones can be
  /// named. The cache and the state may be removed and made anew while it runs, so what is around them is named.
  /// Returns whether the kernel confines.
  static func begin(_ settings: Settings) -> Bool {
    let own = [settings.stateFolder, settings.configFolder, settings.cacheFolder]
    for folder in own {
      try? File.makeParents(of: folder)
      mkdir(folder, 0o700)
    }
    let places = [settings.stateFolder + "/..", settings.configFolder, settings.cacheFolder + "/.."]
    let made = Confinement(changing: places)
    process = made
    return made.rules != nil
  }

  /// Confines the calling thread to the daemon's directories, if the daemon has begun so. Called first on each thread.
  static func enter() { process?.enter() }

  /// Confines the calling thread for good, if it is not confined yet.
  func enter() {
    guard let rules, !Self.isConfined else { return }
    pthread_setspecific(Self.key, UnsafeRawPointer(bitPattern: segue_confine_thread(rules.raw) == 1 ? 1 : 2))
  }

  /// Whether the calling thread has entered.
  static var isConfined: Bool { pthread_getspecific(key) != nil }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
