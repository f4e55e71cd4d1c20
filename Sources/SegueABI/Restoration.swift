import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/restoration.h

@c @implementation public func segue_restoration_ref(
  _ restoration: UnsafeMutablePointer<segue_restoration>
)
  -> UnsafeMutablePointer<segue_restoration>
{ reference(restoration) }

@c @implementation public func segue_restoration_unref(
  _ restoration: UnsafeMutablePointer<segue_restoration>?
)
  -> UnsafeMutablePointer<segue_restoration>?
{ unreference(restoration) }

@c @implementation public func segue_restoration_restore(
  _ restoration: UnsafeMutablePointer<segue_restoration>,
  _ responders: UnsafePointer<UnsafeMutablePointer<segue_responder>>?, _ count: Int
) -> Int32 {
  guard let restoration = object(restoration) else { return Refusal.badHandle }
  return call(restoration.application, .anyThread) {
    guard count >= 0, count == 0 || responders != nil else { return -EINVAL }
    guard count <= Limits.restorables else { return -E2BIG }
    var objects: [Responder] = []
    for handle in UnsafeBufferPointer(start: responders, count: count) {
      guard let responder = object(handle), responder.application === restoration.application else { return -EINVAL }
      objects.append(responder)
    }
    return restoration.restore(objects) ? 0 : -EALREADY
  }
}

@c @implementation public func segue_restoration_copy_continuation(
  _ restoration: UnsafePointer<segue_restoration>,
  _ out_continuation: UnsafeMutablePointer<UnsafeMutablePointer<segue_continuation>?>
) -> Int32 {
  guard let restoration = object(restoration), !isMissing(out_continuation) else { return Refusal.badHandle }
  return call(restoration.application, .anyThread) {
    out_continuation.pointee = shared(restoration.continuation)
    return 0
  }
}

@c @implementation public func segue_restoration_copy_window(
  _ restoration: UnsafePointer<segue_restoration>,
  _ out_window: UnsafeMutablePointer<UnsafeMutablePointer<segue_window>?>
) -> Int32 {
  guard let restoration = object(restoration), !isMissing(out_window) else { return Refusal.badHandle }
  return call(restoration.application, .applicationThread) {
    out_window.pointee = restoration.window.map { shared($0) }
    return 0
  }
}
