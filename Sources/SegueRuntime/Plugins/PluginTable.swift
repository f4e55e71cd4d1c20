import SegueCore

/// Structs that a plugin has filled.
enum PluginTable {
  /// A struct that begins with its size. Members that a newer plugin has beyond ours are ignored.
  static func read<T>(_ table: UnsafePointer<T>, _ what: String) throws(SegueError) -> T {
    try read(table, size: Int(UnsafeRawPointer(table).loadUnaligned(as: UInt32.self)), what)
  }

  /// A struct whose size is given by another member.
  static func read<T>(_ table: UnsafePointer<T>, size: Int, _ what: String) throws(SegueError) -> T {
    guard size >= MemoryLayout<T>.size, size <= Limits.structLength else {
      throw SegueError(
        .invalidArgument, "\(what) has the size \(size), and should have \(MemoryLayout<T>.size)",
        advice: "Set its size to the sizeof of the struct.")
    }
    guard UInt(bitPattern: table) % UInt(MemoryLayout<T>.alignment) == 0 else {
      throw SegueError(.invalidArgument, "\(what) is not where such a struct can be")
    }
    return table.pointee
  }
}
