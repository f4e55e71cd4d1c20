import SegueCore
import SegueEngine
import SegueState

/// The browser that has started a process of an application that acts for browsers, as the kernel and the desktop tell
/// it: browsers have many names, and the same extension runs in all of one family.
struct RunningBrowser: Equatable {
  /// The browser's program.
  private let executable: String?
  /// The desktop files that it was started by, as the environment has it that it has handed down.
  private var desktopFiles: TextSet = []
  /// The unit that it lives in, which desktops name after the application.
  private let unit: String

  init(behind process: Int32, proc: String = "/proc") {
    let parent = ProcessFolder.ancestors(of: process, proc: proc).first
    executable = parent.flatMap { HostProcess(pid: $0, ProcessFolder(of: $0, proc: proc)).executable }
    let folder = ProcessFolder(of: process, proc: proc)
    for variable in (folder.bytes("environ") ?? []).split(separator: 0) {
      let parts = String(decoding: variable, as: UTF8.self).parts(at: "=", maxSplits: 1)
      guard parts.count == 2, Self.variables.contains(parts[0]) else { continue }
      desktopFiles.insert(parts[1].pathParts?.name ?? parts[1])
    }
    unit = folder.unit() ?? ""
  }

  /// Whether that browser is the one that `handler` starts.
  func isStarted(by handler: WebHandler) -> Bool {
    if let id = handler.id {
      if desktopFiles.contains(id) { return true }
      if let name = id.rest(before: ".desktop"), names(name) { return true }
    }
    return executable.map { handler.starts($0) } ?? false
  }

  /// `app-<application>@….service` and `app-<launcher>-<application>-….scope`, in which systemd has escaped the
  /// application.
  private func names(_ application: String) -> Bool {
    let escaped = application.utf8.map { byte in
      let isPlain = Self.plain.unicodeScalars.contains(Unicode.Scalar(byte))
      return isPlain ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    let name = Array(unit.utf8)
    return ["-\(escaped)-", "-\(escaped)@", "-\(escaped)."].contains { part in
      name.indices.contains { name[$0...].starts(with: part.utf8) }
    }
  }

  private static let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_."
  /// Chromium's own, GLib's and snap's.
  private static let variables: TextSet = ["CHROME_DESKTOP", "GIO_LAUNCHED_DESKTOP_FILE", "BAMF_DESKTOP_FILE_HINT"]
}
