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

  /// The application on whose thread the object ends; nil for one that ends where it is let go.
  open var home: Application? { nil }

  /// C dropped its last reference: nobody is to be called for the object any more. The application's thread, and only
  /// while the application is open.
  open func abandoned() {}

  // MARK: Dropping a reference

  /// C drops a reference, any thread. The last one is let go on the application's thread, and userdata is freed with it:
  /// so this thread has no reference of its own when it hands that one over.
  public static func drop(_ reference: Unmanaged<Handle>) {
    guard isLast(reference), let application = home(of: reference) else { return reference.release() }
    application.takeBack(reference)
  }

  @inline(never)
  private static func isLast(_ reference: Unmanaged<Handle>) -> Bool {
    let handle = reference.takeUnretainedValue()
    return handle.externalReferences.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  @inline(never)
  private static func home(of reference: Unmanaged<Handle>) -> Application? { reference.takeUnretainedValue().home }
}
