import SegueCore
import SegueEngine
import SegueState

/// Reads the directory of a process in the kernel's /proc.
enum ProcessFolder {
  /// The fields of `stat` from the third on; nil if the process is gone.
  static func status(_ folder: String) -> [String]? {
    guard let bytes = File.beginning(of: folder + "/stat", maximum: Limits.processFileLength),
      // The second field is the program's name, in parentheses, and may itself hold spaces and parentheses.
      let name = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    return bytes[bytes.index(after: name)...].split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The processes above a process, the nearest first; so many at most.
  static func ancestors(of process: Int32, proc: String = "/proc") -> [Int32] {
    var found: [Int32] = []
    var process = process
    while found.count < Limits.processAncestors {
      guard let fields = status("\(proc)/\(process)"), fields.count > 1, let parent = Int32(fields[1]), parent > 1
      else { break }
      found.append(parent)
      process = parent
    }
    return found
  }
}

extension DoorSlots.Holder {
  /// A process, with the processes that share its limited resources: those of the application's unit, where the desktop
  /// starts each application in a unit of its own (systemd's convention for desktops). Other units hold a whole
  /// session; there the processes that one process has started share.
  init(process: Int32, proc: String = "/proc") {
    let parent = ProcessFolder.status("\(proc)/\(process)").flatMap { $0.count > 1 ? $0[1] : nil }
    self.init(process: process, group: Self.unit(of: process, proc: proc) ?? "started by \(parent ?? "nobody")")
  }

  /// The line about the application's unit that a process lives in; nil where it has none of its own.
  static func unit(of process: Int32, proc: String) -> String? {
    let units = String(
      decoding: File.beginning(of: "\(proc)/\(process)/cgroup", maximum: Limits.processFileLength) ?? [],
      as: UTF8.self)
    return units.parts(at: "\n").first { line in
      line.begins(with: "0::") && line.parts(at: "/").contains { $0.begins(with: "app-") }
    }
  }
}
