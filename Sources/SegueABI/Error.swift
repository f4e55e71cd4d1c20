import CSegue
import SegueRuntime

// include/segue/error.h

@c @implementation public func segue_error_ref(
  _ error: UnsafeMutablePointer<segue_error>
)
  -> UnsafeMutablePointer<segue_error>
{ reference(error) }

@c @implementation public func segue_error_unref(
  _ error: UnsafeMutablePointer<segue_error>?
)
  -> UnsafeMutablePointer<segue_error>?
{ unreference(error) }

@c @implementation public func segue_error_get_code(_ error: UnsafePointer<segue_error>?) -> segue_error_code {
  object(error)?.code ?? 0
}

@c @implementation public func segue_error_get_name(_ error: UnsafePointer<segue_error>?) -> UnsafePointer<CChar> {
  object(error)?.name.pointer ?? staticText("")
}

@c @implementation public func segue_error_get_message(_ error: UnsafePointer<segue_error>?) -> UnsafePointer<CChar> {
  object(error)?.message.pointer ?? staticText("")
}

@c @implementation public func segue_error_get_advice(_ error: UnsafePointer<segue_error>?) -> UnsafePointer<CChar> {
  object(error)?.advice.pointer ?? staticText("")
}
