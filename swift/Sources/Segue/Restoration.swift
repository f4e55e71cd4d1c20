import CSegueLibrary

/// The restoration handler of an activity that has come: it is given the objects that restore.
///
/// Dropped without a call, it means that there are none.
@MainActor
public final class Restoration {
  private let pointer: Pointer
  private let application: Application

  init(_ raw: OpaquePointer, in application: Application) {
    pointer = Pointer(segue_restoration_ref(raw))
    self.application = application
  }

  deinit { segue_restoration_unref(pointer.raw) }

  /// Hands over the objects that restore: `restoreUserActivityState` is called on each, in order, once. Called inside
  /// `onContinue`, it takes effect after that has returned. Throws when it was called before, and for more than 4,096
  /// objects.
  public func restore(_ objects: [any RestorableObject]) throws {
    _ = try application.raw()
    let responders = try objects.map { try LibraryResponder.of($0, in: application) }
    let pointers = responders.map { $0.pointer.raw }
    do {
      try withExtendedLifetime(responders) {
        _ = try pointers.withUnsafeBufferPointer { buffer in
          try check(segue_restoration_restore(pointer.raw, buffer.baseAddress, buffer.count))
        }
      }
    } catch {
      for responder in responders { application.restoring[responder.pointer] = nil }
      throw error
    }
  }

  /// The same, for one object or several: `await restoration(outline, editor)`.
  public func callAsFunction(_ objects: any RestorableObject...) throws { try restore(objects) }

  /// The continuation that the handler belongs to.
  public var continuation: Continuation? {
    guard let raw = read(nil, { segue_restoration_copy_continuation(pointer.raw, $0) }) else { return nil }
    defer { segue_continuation_unref(raw) }
    return Continuation(raw)
  }

  /// The window that the activity goes to; nil for none in particular.
  public var window: Window? {
    guard (try? application.raw()) != nil, let raw = read(nil, { segue_restoration_copy_window(pointer.raw, $0) })
    else { return nil }
    defer { segue_window_unref(raw) }
    return application.windows[Pointer(raw)]?.object
  }
}
