import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/continuation.h

@c @implementation public func segue_continuation_ref(
  _ continuation: UnsafeMutablePointer<segue_continuation>
)
  -> UnsafeMutablePointer<segue_continuation>
{ reference(continuation) }

@c @implementation public func segue_continuation_unref(
  _ continuation: UnsafeMutablePointer<segue_continuation>?
)
  -> UnsafeMutablePointer<segue_continuation>?
{ unreference(continuation) }

/// A continuation has no application to ask whether it may be used.
private func live(_ continuation: UnsafePointer<segue_continuation>) -> Continuation? {
  guard let continuation = object(continuation), !continuation.isBehindFork else { return nil }
  return continuation
}

@c @implementation public func segue_continuation_get_activity_type(
  _ continuation: UnsafePointer<segue_continuation>
)
  -> UnsafePointer<CChar>
{ live(continuation)?.typeText.pointer ?? staticText("") }

@c @implementation public func segue_continuation_get_title(
  _ continuation: UnsafePointer<segue_continuation>
)
  -> UnsafePointer<CChar>
{ live(continuation)?.titleText.pointer ?? staticText("") }

@c @implementation public func segue_continuation_get_device_name(
  _ continuation: UnsafePointer<segue_continuation>
)
  -> UnsafePointer<CChar>
{ live(continuation)?.deviceNameText.pointer ?? staticText("") }

@c @implementation public func segue_continuation_get_activation_token(
  _ continuation: UnsafePointer<segue_continuation>
) -> UnsafePointer<CChar> { live(continuation)?.activationTokenText.pointer ?? staticText("") }

@c @implementation public func segue_continuation_is_stored(_ continuation: UnsafePointer<segue_continuation>) -> Bool {
  live(continuation)?.isStored ?? false
}

/// Reads something into an out-parameter.
private func with<T>(
  _ continuation: UnsafePointer<segue_continuation>, _ out: UnsafeMutablePointer<T>, _ body: (Continuation) -> Int32
) -> Int32 {
  guard let continuation = object(continuation), !isMissing(out) else { return Refusal.badHandle }
  guard !continuation.isBehindFork else { return Refusal.afterFork }
  return body(continuation)
}

@c @implementation public func segue_continuation_get_id(
  _ continuation: UnsafePointer<segue_continuation>, _ out_bytes: UnsafeMutablePointer<UInt8>
) -> Int32 {
  with(continuation, out_bytes) {
    out_bytes.update(from: $0.id.bytes, count: 16)
    return 0
  }
}

@c @implementation public func segue_continuation_get_age(
  _ continuation: UnsafePointer<segue_continuation>, _ out_milliseconds: UnsafeMutablePointer<UInt64>
) -> Int32 {
  with(continuation, out_milliseconds) {
    guard let age = $0.age else { return -ENODATA }
    out_milliseconds.pointee = age
    return 0
  }
}

@c @implementation public func segue_continuation_get_time_left(
  _ continuation: UnsafePointer<segue_continuation>, _ out_milliseconds: UnsafeMutablePointer<UInt64>
) -> Int32 {
  with(continuation, out_milliseconds) {
    out_milliseconds.pointee = $0.timeLeft
    return 0
  }
}
