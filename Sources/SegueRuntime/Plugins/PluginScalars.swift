import CFFI
import CLinux
import SegueCore

/// The scalar properties with a setter of a kind of object, for fast access: applications set them at every move of a
/// cursor, so a call here retains, copies and allocates no object, and libffi takes most of its time.
struct PluginScalars {
  struct Entry {
    let key: UnsafePointer<CChar>
    let interface: UnsafeMutablePointer<ffi_cif>
    let code: PluginFunction.Code
    /// The range of an integer property; not used for other numbers.
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

  /// Frees the entries; the owner calls this.
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
