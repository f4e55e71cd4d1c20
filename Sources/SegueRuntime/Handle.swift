import CLinux
import Synchronization

/// The base of every object to which C holds a pointer.
///
/// An object has two counts. Swift's own keeps the object alive; the external one counts the references that C owns, so
/// that the library, which may hold an object itself, learns when the application has dropped it (semantics C12).
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

  /// Whether a fork(2) lies between its making and now. The parent goes on to use the object's descriptors and the
  /// daemon; the child leaves the object alone, down to its memory.
  public final var isBehindFork: Bool { segue_fork_generation() != forkGeneration }

  /// Whether C owns a reference.
  public final var isHeld: Bool { externalReferences.load(ordering: .acquiring) > 0 }

  /// Counts a reference that C has taken. Any thread.
  public final func retained() { externalReferences.add(1, ordering: .relaxed) }

  /// The application on whose thread the object ends; nil for one that ends on the thread that releases it.
  open var home: Application? { nil }

  /// Called when C has dropped its last reference: no callback of the object is called any more. The application's
  /// thread, and only while the application is open.
  open func abandoned() {}

  // MARK: Dropping a reference

  /// Drops a reference of C's; any thread. The last one is released on the application's thread, and frees the userdata
  /// there: so this thread has no reference of its own when it hands that one over.
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
