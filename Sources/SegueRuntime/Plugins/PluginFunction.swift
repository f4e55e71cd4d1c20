import CFFI
import CLinux
import SegueCore

#if _endian(big)
  #error("Values narrower than a register are taken to stand at its beginning; look through this folder first.")
#endif

/// A C function of a plugin with its calling interface: prepared and checked once, when the plugin is loaded, so that a
/// call can then only fail on its data.
final class PluginFunction {
  typealias Code = @convention(c) () -> Void

  let interface: UnsafeMutablePointer<ffi_cif>
  private let parameters: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>
  let code: Code

  /// Throws `pluginFailed` if libffi does not support such a call on this machine.
  init(
    _ code: @escaping Code, parameters: [UnsafeMutablePointer<ffi_type>], result: UnsafeMutablePointer<ffi_type>
  )
    throws(SegueError)
  {
    self.code = code
    interface = .allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    self.parameters = .allocate(capacity: max(parameters.count, 1))
    var count = 0
    for parameter in parameters {
      (self.parameters + count).initialize(to: parameter)
      count &+= 1
    }
    let status = ffi_prep_cif(interface, FFI_DEFAULT_ABI, UInt32(truncatingIfNeeded: count), result, self.parameters)
    guard status == FFI_OK else {
      throw SegueError(.pluginFailed, "libffi cannot call it: status \(status.rawValue)")
    }
  }

  deinit {
    interface.deallocate()
    parameters.deallocate()
  }

  /// `arguments` point to a value for each parameter; `result` has room for 16 bytes.
  func call(_ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, result: UnsafeMutableRawPointer) {
    ffi_call(interface, code, result, arguments)
  }
}

extension PluginType {
  /// The C parameters of a setter of this type.
  var parameters: [UnsafeMutablePointer<ffi_type>] {
    if isArray { return [segue_ffi_pointer(), Self.size] }
    return [isOptional ? segue_ffi_pointer() : element.ffi]
  }

  /// The C result of a getter. An array's getter has a parameter for the count.
  var result: UnsafeMutablePointer<ffi_type> { isArray || isOptional ? segue_ffi_pointer() : element.ffi }

  /// `size_t`.
  static var size: UnsafeMutablePointer<ffi_type> {
    MemoryLayout<Int>.size == 8 ? segue_ffi_uint64() : segue_ffi_uint32()
  }
}

extension PluginType.Element {
  /// The C type of a value that stands alone.
  var ffi: UnsafeMutablePointer<ffi_type> {
    switch self {
    case .bool, .uint8: segue_ffi_uint8()
    case .int8: segue_ffi_int8()
    case .int16: segue_ffi_int16()
    case .uint16: segue_ffi_uint16()
    case .int32: segue_ffi_int32()
    case .uint32: segue_ffi_uint32()
    case .int64: segue_ffi_int64()
    case .uint64: segue_ffi_uint64()
    case .float: segue_ffi_float()
    case .double, .date: segue_ffi_double()
    case .string, .url, .value: segue_ffi_pointer()
    }
  }

  /// The bytes of one element in an array.
  var stride: Int {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double, .date: 8
    case .string, .url, .value: MemoryLayout<UnsafeRawPointer>.stride
    }
  }

  /// Whether its value is a pointer anyway, so that an optional one is the same pointer, or NULL.
  var isPointer: Bool {
    switch self {
    case .string, .url, .value: true
    default: false
    }
  }
}
