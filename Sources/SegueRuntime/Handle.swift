import CLinux
import Synchronization

/// What C holds a pointer to: the base of every object with a handle.
///
/// Two counts are kept. Swift's own count keeps the object alive; the external one counts the references that C owns,
/// so that the library, which may hold an object itself, learns when its user has let go (semantics C12).
open class Handle: @unchecked Sendable {
  /// Tells a handle of another kind from the one that a function wants.
  public enum Kind: UInt32, Sendable {
    case freed = 0
    case application = 0x5e60_0001
    case activity
    case responder
    case window
    case continuation
    case restoration
    case value
    case error
    /// A responder of its own kind.
    case document
    case plugin
    /// A responder of its own kind too.
    case pluginObject
    case offer
  }

  public private(set) final var kind: Kind
  private let externalReferences: Atomic<Int>
  private let forkGeneration = segue_fork_generation()

  /// `external`: the references that C owns from the start.
  public init(kind: Kind, external: Int = 1) {
    self.kind = kind
    externalReferences = Atomic(external)
  }

  deinit { kind = .freed }

  /// Whether a fork(2) lies between its making and now. The parent goes on with what the object has to do with
  /// descriptors and the daemon; in the child it is left alone, down to its memory.
  public final var isBehindFork: Bool { segue_fork_generation() != forkGeneration }

  /// Whether C owns a reference.
  public final var isHeld: Bool { externalReferences.load(ordering: .acquiring) > 0 }

  /// C took a reference. Any thread.
  public final func retained() { externalReferences.add(1, ordering: .relaxed) }

  /// C dropped a reference: true for the last one. Any thread.
  public final func released() -> Bool {
    externalReferences.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// C dropped its last reference, any thread. `retained` is that reference: an override that goes on with the object
  /// on the application's thread releases it there, so that userdata is freed on that thread.
  open func abandoned(_ retained: Unmanaged<Handle>) { retained.release() }
}
