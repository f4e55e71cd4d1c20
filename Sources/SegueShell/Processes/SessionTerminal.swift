import CTerminal
import Glibc
import SegueBus
import SegueCore

/// The program of a session on its terminal, with the screen as it is by what the program has written.
final class SessionTerminal {
  /// Where the program has to read before it is written to again, and when it has.
  var isFullChanged: ((Bool) -> Void)?
  /// Is called with the program's output, which is on the screen by then.
  var written: ((_ shown: [UInt8], _ leftAlternate: Bool) -> Void)?
  var titled: ((String) -> Void)?

  private let program: Program
  /// By which it is named where nothing is known of what runs.
  private let names: (program: String, folder: String)
  private var screen: TerminalScreen
  private var filter = OutputFilter()
  /// Input that the program has not read yet.
  private var typed: [UInt8] = []
  private var watch: LoopWatch?
  private var hasEnded = false

  init(_ arguments: [String], session: String, size: TerminalSize) throws(Program.Failure) {
    let folder = getcwd(nil, 0).map { path in
      defer { free(path) }
      return ShellNames.lastPart(of: String(cString: path))
    }
    names = (ShellNames.lastPart(of: arguments.first ?? ""), folder ?? "")
    screen = TerminalScreen(size)
    program = try Program(arguments, session: session, size: size)
  }

  /// Readable when the program has ended.
  var process: Int32 { program.process.raw }
  /// How many lines have left the screen.
  var scrolled: UInt64 { screen.scrolled }
  var isAlternate: Bool { filter.modes.isAlternate }
  /// The program in the foreground, and its directory.
  var foreground: (program: String, folder: String) { program.foreground ?? names }

  func begin(_ loop: EventLoop) throws(SegueError) {
    watch = try loop.watch(program.terminal.raw, .readable) { [unowned self] events in
      if events.contains(.writable) { type([]) }
      if events != .writable { read() }
    }
  }

  func hangUp() { program.hangUp() }

  func resize(_ size: TerminalSize) {
    screen.resize(size)
    program.resize(size)
  }

  func drawing(cutTo size: TerminalSize?, linesSince mark: UInt64) -> [UInt8] {
    size.map { screen.drawing(cutTo: $0, linesSince: mark) } ?? screen.drawing(linesSince: mark)
  }

  /// The program has ended: shows its last output, and gives its status. The call does not wait for other processes that
  /// still have the terminal.
  func end() -> UInt8 {
    let status = program.status()
    for _ in 0..<256 where readOnce() {}
    hasEnded = true
    watch?.cancel()
    return status
  }

  private func read() {
    guard !hasEnded else { return }
    // A program that writes without end does not keep viewers from being heard.
    for _ in 0..<4 { if !readOnce() { return } }
  }

  /// Whether there was something.
  private func readOnce() -> Bool {
    let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      count = max(0, Glibc.read(program.terminal.raw, buffer.baseAddress, buffer.count))
    }
    guard !bytes.isEmpty else {
      // All that had the terminal open have closed it; the program's end tells the rest.
      if errno != EAGAIN, errno != EINTR { watch?.setEvents([]) }
      return false
    }
    let passed = filter.filter(bytes)
    let answer = screen.write(passed.screen)
    if passed.clearsHistory { screen.clearHistory() }
    type(answer)
    if let title = passed.title { titled?(title) }
    written?(passed.shown, passed.leftAlternate)
    return true
  }

  /// Writes as much as fits now, and the rest when the program reads.
  func type(_ bytes: [UInt8]) {
    typed += bytes
    while !typed.isEmpty {
      let count = typed.withUnsafeBytes { write(program.terminal.raw, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      typed.removeFirst(count)
    }
    watch?.setEvents(typed.isEmpty || hasEnded ? .readable : [.readable, .writable])
    isFullChanged?(typed.count > Limits.shellInput)
  }
}
