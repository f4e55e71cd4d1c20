import CLinux
import CSegue
import SegueCore
import SegueRuntime

// The boundary's convention. A handle is an unmanaged reference to a Handle; each C struct names the class that stands
// behind it. Every function checks its handles, then the application's state and the thread, then calls one line of
// Runtime; a thrown error becomes a result and, where the caller wants it, an error object.

/// A C struct that stands for a class of Runtime.
protocol HandleStruct {
  associatedtype Object: Handle
  static var kind: Handle.Kind { get }
  /// Whether an object of this kind may stand behind the struct.
  static func accepts(_ kind: Handle.Kind) -> Bool
}

extension HandleStruct {
  static func accepts(_ kind: Handle.Kind) -> Bool { kind == self.kind }
}

extension segue_application: HandleStruct {
  typealias Object = ApplicationHandle
  static var kind: Handle.Kind { .application }
}
extension segue_activity: HandleStruct {
  typealias Object = Activity
  static var kind: Handle.Kind { .activity }
}
extension segue_responder: HandleStruct {
  typealias Object = Responder
  static var kind: Handle.Kind { .responder }
  static func accepts(_ kind: Handle.Kind) -> Bool {
    kind == .responder || kind == .document || kind == .window || kind == .pluginObject
  }
}
extension segue_document: HandleStruct {
  typealias Object = Document
  static var kind: Handle.Kind { .document }
}
extension segue_plugin: HandleStruct {
  typealias Object = Plugin
  static var kind: Handle.Kind { .plugin }
}
extension segue_plugin_object: HandleStruct {
  typealias Object = PluginObject
  static var kind: Handle.Kind { .pluginObject }
}
extension segue_window: HandleStruct {
  typealias Object = Window
  static var kind: Handle.Kind { .window }
}
extension segue_continuation: HandleStruct {
  typealias Object = Continuation
  static var kind: Handle.Kind { .continuation }
}
extension segue_offer: HandleStruct {
  typealias Object = OfferHandle
  static var kind: Handle.Kind { .offer }
}
extension segue_restoration: HandleStruct {
  typealias Object = Restoration
  static var kind: Handle.Kind { .restoration }
}
extension segue_value: HandleStruct {
  typealias Object = ValueHandle
  static var kind: Handle.Kind { .value }
}
extension segue_error: HandleStruct {
  typealias Object = ErrorHandle
  static var kind: Handle.Kind { .error }
}

/// The object behind a handle; nil for NULL and for a handle of another kind.
func object<Struct: HandleStruct>(_ handle: UnsafePointer<Struct>?) -> Struct.Object? {
  // Through an integer: the header says that the pointer is not NULL, but the caller may ignore that.
  guard let handle = UnsafeRawPointer(bitPattern: UInt(bitPattern: handle)) else { return nil }
  let found = Unmanaged<Handle>.fromOpaque(handle).takeUnretainedValue()
  guard Struct.accepts(found.kind) else {
    assert(found.kind != .freed, "A handle was used after it was freed.")
    return nil
  }
  return unsafeDowncast(found, to: Struct.Object.self)
}

func object<Struct: HandleStruct>(_ handle: UnsafeMutablePointer<Struct>?) -> Struct.Object? {
  object(UnsafePointer(handle))
}

/// A handle that the caller owns: a new object has one external reference from the start.
func owned<Struct: HandleStruct>(_ object: Struct.Object) -> UnsafeMutablePointer<Struct> {
  Unmanaged<Handle>.passRetained(object).toOpaque().assumingMemoryBound(to: Struct.self)
}

/// A reference for the caller to an object that lives already.
func shared<Struct: HandleStruct>(_ object: Struct.Object) -> UnsafeMutablePointer<Struct> {
  object.retained()
  return owned(object)
}

/// A handle for the time of a callback, or as long as the object that lends it says.
func borrowed<Struct: HandleStruct>(_ object: Struct.Object) -> UnsafeMutablePointer<Struct> {
  Unmanaged<Handle>.passUnretained(object).toOpaque().assumingMemoryBound(to: Struct.self)
}

func reference<Struct: HandleStruct>(_ handle: UnsafeMutablePointer<Struct>) -> UnsafeMutablePointer<Struct> {
  if let object = object(handle) { return shared(object) }
  return handle
}

func unreference<Struct: HandleStruct>(_ handle: UnsafeMutablePointer<Struct>?) -> UnsafeMutablePointer<Struct>? {
  if let reference = droppable(handle) { Handle.drop(reference) }
  return nil
}

/// The reference behind a handle, if it may be dropped. Not inlined, so that it is the only one when it is dropped.
@inline(never)
private func droppable<Struct: HandleStruct>(_ handle: UnsafeMutablePointer<Struct>?) -> Unmanaged<Handle>? {
  guard let object = object(handle) else { return nil }
  // Values and errors are plain memory, so the child of a fork may drop them.
  guard !object.isBehindFork || object.kind == .value || object.kind == .error else { return nil }
  return Unmanaged<Handle>.passUnretained(object)
}

// MARK: Calls

/// The results that `base.h` promises for every function.
enum Refusal {
  static let badHandle = -EINVAL
  static let afterFork = -ECHILD
  static let wrongThread = -EPERM
  static let closed = -ESHUTDOWN
}

enum ThreadRule {
  case applicationThread
  case anyThread
}

public typealias OutError = UnsafeMutablePointer<UnsafeMutablePointer<segue_error>?>?

/// Runs a call's body when the application may be used, and turns its error into the call's result.
func call(
  _ application: Application, _ rule: ThreadRule, _ outError: OutError = nil,
  _ body: () throws(SegueError) -> Int32
) -> Int32 {
  switch application.trouble(onItsThread: rule == .applicationThread) {
  case .afterFork: return refused(.afterFork, outError)
  case .wrongThread: return refused(.wrongThread, outError)
  case .closed: return refused(.closed, outError)
  case nil: return result(outError, body)
  }
}

/// The same for a call without an application.
func result(_ outError: OutError = nil, _ body: () throws(SegueError) -> Int32) -> Int32 {
  do throws(SegueError) {
    return try body()
  } catch {
    outError?.pointee = owned(ErrorHandle(error))
    return error.code.result
  }
}

/// The result of a call that fails before it begins; with an error too, where the caller wants one.
func refused(_ code: SegueError.Code, _ outError: OutError, _ message: String = "") -> Int32 {
  outError?.pointee = owned(ErrorHandle(SegueError(code, message)))
  return code.result
}

/// The same for a handle that is NULL or of another kind, and for a pointer that is NULL.
func refusedHandle(_ outError: OutError) -> Int32 {
  refused(.invalidArgument, outError, "A handle is of another kind, or something is NULL that may not be.")
}

extension SegueError.Code {
  /// The result of a function that fails with such an error, by the table in error.h.
  var result: Int32 {
    switch self {
    case .invalidArgument: -EINVAL
    case .limitExceeded, .handoffUserInfoTooLarge: -E2BIG
    case .invalidated: -ESTALE
    case .notFound: -ENOENT
    case .accessDenied: -EACCES
    case .protocolViolation: -EBADMSG
    case .wrongThread: -EPERM
    case .afterFork: -ECHILD
    case .closed: -ESHUTDOWN
    default: -EIO
    }
  }
}

// MARK: Text and structs

/// Text from C, of at most as many bytes as a value may have.
func requiredText(_ pointer: UnsafePointer<CChar>?) throws(SegueError) -> String { try CText.read(pointer) }

/// NULL is none, malformed text is an error.
func optionalText(_ pointer: UnsafePointer<CChar>?) throws(SegueError) -> String? {
  pointer == nil ? nil : try requiredText(pointer)
}

/// Texts from C, `count` of them; throws `limitExceeded`, without a look at them, over `maximum`.
func texts(
  _ pointer: UnsafePointer<UnsafePointer<CChar>>?, _ count: Int, maximum: Int
) throws(SegueError) -> [String] {
  guard count >= 0, count == 0 || pointer != nil else {
    throw SegueError(.invalidArgument, "A list of texts is NULL.")
  }
  guard count <= maximum else { throw SegueError(.limitExceeded, "There may be at most \(maximum) texts.") }
  guard let start = UnsafeRawPointer(pointer)?.assumingMemoryBound(to: UnsafePointer<CChar>?.self) else { return [] }
  var texts: [String] = []
  // The header says that none is NULL, but the caller may ignore that.
  for index in 0..<count { texts.append(try requiredText(start[index])) }
  return texts
}

/// Whether an out-parameter can be written; a caller may pass NULL whatever the header says.
func isMissing<T>(_ pointer: UnsafeMutablePointer<T>?) -> Bool { UInt(bitPattern: pointer) == 0 }

/// A struct that begins with struct_size, in the size that this library knows. Members that a smaller, older struct
/// lacks are zero; the function refuses non-zero bytes beyond the size that we know.
func structure<T>(_ pointer: UnsafePointer<T>, empty: T) throws(SegueError) -> T {
  guard let bytes = UnsafeRawPointer(bitPattern: UInt(bitPattern: pointer)) else { throw malformedStruct }
  let size = Int(bytes.load(as: UInt32.self))
  guard size >= 8, size <= Limits.structLength else { throw malformedStruct }
  let known = MemoryLayout<T>.size
  for offset in min(known, size)..<size where bytes.load(fromByteOffset: offset, as: UInt8.self) != 0 {
    throw malformedStruct
  }
  guard bytes.load(fromByteOffset: 4, as: UInt32.self) == 0 else { throw malformedStruct }
  var copy = empty
  withUnsafeMutableBytes(of: &copy) {
    $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: min(known, size)))
  }
  return copy
}

/// Empties a struct of the caller's size and sets its struct_size, for languages without the _INIT macros.
func initialize<T>(_ pointer: UnsafeMutablePointer<T>, _ size: UInt32) {
  guard let bytes = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: pointer)), size >= 8,
    size <= Limits.structLength
  else {
    return
  }
  memset(bytes, 0, Int(size))
  bytes.storeBytes(of: size, as: UInt32.self)
}

private var malformedStruct: SegueError {
  SegueError(
    .invalidArgument, "A struct's struct_size is wrong, or it has fields that this library does not know.",
    advice: "Set it up with its _INIT macro or _init function; if it is newer than the library, update the library.")
}

/// A callback's userdata. Destroyed exactly once: when the last closure that holds it goes, or a registration fails.
final class Userdata {
  let pointer: UnsafeMutableRawPointer?
  private let destroy: segue_destroy_function?

  init(_ pointer: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?) {
    self.pointer = pointer
    self.destroy = destroy
  }

  deinit { destroy?(pointer) }
}
