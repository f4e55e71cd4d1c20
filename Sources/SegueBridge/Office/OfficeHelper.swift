import Glibc
import SegueBus
import SegueCore
import SegueState

/// The process that speaks to LibreOffice in its own language (bridges/libreoffice), and the lines between it and this one.
final class OfficeHelper {
  /// Whether it ends where no LibreOffice runs, or starts one.
  enum Mode: String { case follow, start }

  private let link: FileDescriptor
  private var watch: LoopWatch?
  private var rest: [UInt8] = []
  private let said: ([String]?) -> Void

  /// `said` gets the words of each line, and nil once at the end. Nil where it cannot be started.
  init?(_ program: BridgedProgram, _ mode: Mode, on loop: EventLoop, _ said: @escaping ([String]?) -> Void) {
    self.said = said
    guard let office = program.installedPath(.current()), let script = Self.script else { return nil }
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0, &ends) == 0 else { return nil }
    link = FileDescriptor(owning: ends[0])
    let other = FileDescriptor(owning: ends[1])
    // It waits for what comes.
    _ = fcntl(other.raw, F_SETFL, 0)
    guard
      ProgramStart.start([Self.python(of: office), "-I", script, mode.rawValue, office], handed: other.raw) != nil,
      let watch = try? loop.watch(link.raw, .readable, { [weak self] _ in self?.read() })
    else { return nil }
    self.watch = watch
  }

  /// The file beside this program.
  private static var script: String? {
    ProgramPath.current()?.string.pathParts.map { $0.folder + "/segue-libreoffice.py" }
  }

  /// LibreOffice's own Python where it brings one, otherwise the system's, for which distributions build its module.
  static func python(of office: String) -> String {
    guard let real = realpath(office, nil) else { return "/usr/bin/python3" }
    defer { free(real) }
    let own = (String(cString: real).pathParts?.folder ?? "") + "/python"
    return access(own, X_OK) == 0 ? own : "/usr/bin/python3"
  }

  func say(_ words: String...) {
    let line = Array((words.joined(separator: " ") + "\n").utf8)
    // Lines are short, and few: one that has no room any more goes to nobody.
    _ = send(link.raw, line, line.count, Int32(MSG_NOSIGNAL))
  }

  func end() { watch?.cancel() }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: Limits.bridgeText)
    let count = recv(link.raw, &buffer, buffer.count, 0)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      return finish()
    }
    rest += buffer[..<count]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeSubrange(...end)
      said(line.parts(at: " "))
      guard watch?.isActive == true else { return }
    }
    // No line is longer.
    if rest.count > 2 * Limits.bridgeText { finish() }
  }

  private func finish() {
    watch?.cancel()
    said(nil)
  }
}
