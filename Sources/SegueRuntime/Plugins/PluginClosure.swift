import CFFI
import CLinux
import CSegue
import SegueCore

/// A C function that was made at run time: it calls a plugin's handler with the plugin's data.
final class PluginClosure {
  private let parameters: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>
  private let interface: UnsafeMutablePointer<ffi_cif>
  private let closure: UnsafeMutableRawPointer
  private let handler: segue_plugin_closure_function
  private let userdata: ClosureUserdata
  private let result: PluginClosureSignature.Letter?
  /// The function itself.
  let code: UnsafeMutableRawPointer
  /// The token with which the plugin releases it.
  var token: UnsafeMutableRawPointer { closure }

  /// Throws `invalidArgument` for a malformed signature, `system` where no function can be made.
  convenience init(
    _ text: String, _ handler: @escaping segue_plugin_closure_function, _ userdata: ClosureUserdata
  ) throws(SegueError) {
    let signature = try PluginClosureSignature(text)
    var code: UnsafeMutableRawPointer?
    guard let closure = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code else {
      throw SegueError(
        .system, "no function can be made at run time: the system forbids memory that can be written and executed",
        advice: "Look for MemoryDenyWriteExecute= in the unit, a policy of SELinux, or a seccomp filter.")
    }
    try self.init(signature, closure, code, handler, userdata)
  }

  /// Owns the closure, which has been allocated with its code.
  private init(
    _ signature: PluginClosureSignature, _ closure: UnsafeMutableRawPointer, _ code: UnsafeMutableRawPointer,
    _ handler: @escaping segue_plugin_closure_function, _ userdata: ClosureUserdata
  ) throws(SegueError) {
    self.closure = closure
    self.code = code
    self.handler = handler
    self.userdata = userdata
    result = signature.result
    interface = .allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    parameters = .allocate(capacity: max(signature.parameters.count, 1))
    var count = 0
    for parameter in signature.parameters {
      (parameters + count).initialize(to: parameter.ffi)
      count &+= 1
    }
    var status = ffi_prep_cif(
      interface, FFI_DEFAULT_ABI, UInt32(truncatingIfNeeded: count), signature.result?.ffi ?? segue_ffi_void(),
      parameters)
    if status == FFI_OK {
      status = ffi_prep_closure_loc(
        closure.assumingMemoryBound(to: ffi_closure.self), interface,
        { _, result, arguments, data in
          guard let data else { return }
          Unmanaged<PluginClosure>.fromOpaque(data).takeUnretainedValue().called(result, arguments)
        }, Unmanaged.passUnretained(self).toOpaque(), code)
    }
    guard status == FFI_OK else {
      throw SegueError(.system, "no function can be made at run time: libffi says \(status.rawValue)")
    }
  }

  deinit {
    ffi_closure_free(closure)
    interface.deallocate()
    parameters.deallocate()
  }

  private func called(_ out: UnsafeMutableRawPointer?, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) {
    let arguments = UnsafeMutableRawPointer(arguments)?.assumingMemoryBound(to: UnsafeRawPointer.self)
    guard let result, let out else { return handler(userdata.pointer, nil, arguments.map { UnsafePointer($0) }) }
    var register: UInt64 = 0
    withUnsafeMutablePointer(to: &register) { handler(userdata.pointer, $0, arguments.map { UnsafePointer($0) }) }
    out.storeBytes(of: result.widened(register), as: UInt64.self)
  }
}

/// A closure's userdata; freed when the closure goes, or could not be made.
final class ClosureUserdata {
  let pointer: UnsafeMutableRawPointer?
  private let destroy: segue_destroy_function?

  init(_ pointer: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?) {
    self.pointer = pointer
    self.destroy = destroy
  }

  deinit { destroy?(pointer) }
}

extension PluginClosureSignature.Letter {
  fileprivate var ffi: UnsafeMutablePointer<ffi_type> {
    switch self {
    case .pointer: segue_ffi_pointer()
    case .element(let element): element.ffi
    }
  }

  /// libffi wants small integers in the width of a register.
  fileprivate func widened(_ register: UInt64) -> UInt64 {
    guard case .element(let element) = self else { return register }
    switch element {
    case .int8: return UInt64(bitPattern: Int64(Int8(truncatingIfNeeded: register)))
    case .int16: return UInt64(bitPattern: Int64(Int16(truncatingIfNeeded: register)))
    case .int32: return UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: register)))
    default: return register
    }
  }
}
