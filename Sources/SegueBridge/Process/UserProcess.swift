import Glibc
import SegueCore
import SegueState

/// A process of this user, as the kernel tells of it.
struct UserProcess: Equatable {
  let number: Int32
  /// The words that it was started with.
  let words: [String]

  /// All of them, in no order.
  static func all() -> [UserProcess] {
    File.names(in: "/proc").compactMap { Int32($0) }.compactMap { UserProcess($0) }
  }

  private init?(_ number: Int32) {
    var status = stat()
    guard stat("/proc/\(number)", &status) == 0, status.st_uid == getuid(),
      let bytes = try? File.read("/proc/\(number)/cmdline", maximum: Limits.bridgeRecord)
    else { return nil }
    self.number = number
    words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  init(_ number: Int32, _ words: [String]) { (self.number, self.words) = (number, words) }

  /// The name of the program's file; nil where that cannot be told.
  var program: String? { Self.link(number, "exe")?.pathParts?.name }
  /// The folder that it is in.
  var folder: String? { Self.link(number, "cwd") }

  /// Whether it has a terminal: a program in the background has none.
  var hasTerminal: Bool {
    guard let bytes = try? File.read("/proc/\(number)/stat", maximum: Limits.bridgeText),
      // A program's name may have all characters, parentheses and spaces too.
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return false }
    // Behind the name: state, parent, group, session, terminal.
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    return fields.count > 4 && !fields[4].elementsEqual([UInt8(ascii: "0")])
  }

  /// A path as the process means it.
  func whole(_ path: String) -> String {
    path.begins(with: "/") ? path : folder.map { $0 + "/" + path } ?? path
  }

  private static func link(_ number: Int32, _ name: String) -> String? {
    guard let real = realpath("/proc/\(number)/\(name)", nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
