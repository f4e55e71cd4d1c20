import CFFI
import CLinux
import SegueCore

/// The scalar properties of a kind of object that have a setter, at hand: applications set them at every move of a
/// cursor, so nothing here is counted, copied or allocated, and libffi takes the most of such a call.
struct PluginScalars {
  struct Entry {
    let key: UnsafePointer<CChar>
    let interface: UnsafeMutablePointer<ffi_cif>
    let code: PluginFunction.Code
    /// What an integer of it can be; of other numbers nothing.
    let least: Int64
    let most: Int64
    let isDouble: Bool
    let isSaved: Bool
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let count: Int

  /// The entries point into `properties`, which outlive them.
  init(_ properties: [HostedProperty]) {
    entries = .allocate(capacity: max(properties.count, 1))
    var count = 0
    for property in properties {
      let type = property.type
      guard !type.isArray, !type.isOptional, let function = property.setter?.function else { continue }
      let range = type.element.range
      (entries + count).initialize(
        to: Entry(
          key: property.key.pointer, interface: function.interface, code: function.code,
          least: range?.lowerBound ?? 1, most: range?.upperBound ?? 0, isDouble: type.element == .double,
          isSaved: property.getter != nil))
      count &+= 1
    }
    self.count = count
  }

  /// Its maker frees it.
  func deallocate() { entries.deallocate() }

  func entry(_ key: UnsafePointer<CChar>) -> UnsafeMutablePointer<Entry>? {
    var entry = entries
    let end = entries + count
    while entry < end {
      if entry.pointee.key.pointee == key.pointee, strcmp(entry.pointee.key, key) == 0 { return entry }
      entry += 1
    }
    return nil
  }
}
