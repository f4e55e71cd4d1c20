/// The address of an object of the library. It is a value; whoever keeps it keeps a reference too.
struct Pointer: @unchecked Sendable, Hashable {
  let raw: OpaquePointer

  init(_ raw: OpaquePointer) { self.raw = raw }
}

/// An object that is not kept alive.
struct Weak<Object: AnyObject> {
  private(set) weak var object: Object?

  init(_ object: Object) { self.object = object }
}

/// A Swift object as the userdata of the library, which releases it by `release`.
func retained(_ object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passRetained(object).toOpaque() }

/// The destroy function for `retained`.
let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { userdata in
  if let userdata { Unmanaged<AnyObject>.fromOpaque(userdata).release() }
}

/// The object that is the userdata of a callback; nil for none.
func object<Object: AnyObject>(_ userdata: UnsafeMutableRawPointer?, as type: Object.Type) -> Object? {
  userdata.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}
