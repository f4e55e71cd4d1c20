import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore

/// The terminal in which a viewer runs: raw while it looks, and given back as it was on every way out.
final class ViewerTerminal {
  /// Called with the bytes that the user types; with none at the end of the input.
  var typed: (([UInt8]) -> Void)?
  /// Called when all bytes that were to be shown are written.
  var drained: (() -> Void)?

  private let descriptor: FileDescriptor
  private var settings: termios
  private var reading: LoopWatch?
  private var writing: LoopWatch?
  private var queue: [UInt8] = []
  private(set) var isRaw = false
  /// The session's output is filtered here too: it may be another device's session.
  private var filter = OutputFilter()

  /// Nil, with a sentence, where standard input is no terminal.
  init(_ loop: EventLoop) throws(SegueError) {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw SegueError(.invalidArgument, "Standard input is not a terminal.", advice: "Run it in a terminal's window.")
    }
    self.settings = settings
    // A file description of its own: the one that the shell has stays blocking.
    let own = open("/proc/self/fd/0", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    descriptor = own >= 0 ? FileDescriptor(owning: own) : try FileDescriptor(duplicating: STDIN_FILENO)
    reading = try loop.watch(descriptor.raw, []) { [unowned self] _ in read() }
    writing = try loop.watch(descriptor.raw, []) { [unowned self] _ in write() }
  }

  deinit {
    reading?.cancel()
    writing?.cancel()
  }

  var size: TerminalSize {
    var rows: Int32 = 0
    var columns: Int32 = 0
    guard segue_terminal_size(descriptor.raw, &rows, &columns) == 0 else { return .usual }
    return TerminalSize(rows: Int(rows), columns: Int(columns))
  }

  /// Whether many bytes wait to be shown.
  var isFull: Bool { queue.count > Limits.shellFrameLength }

  // MARK: Raw, and back

  /// Takes the terminal over. The text on its screen moves up, into its own scrollback.
  func enter() {
    guard !isRaw, tcgetattr(descriptor.raw, &settings) == 0 else { return }
    let farewell = TerminalModes.farewell(from: .everything, rows: size.rows)
    segue_terminal_guard(descriptor.raw, farewell, farewell.count)
    var raw = settings
    cfmakeraw(&raw)
    tcsetattr(descriptor.raw, TCSADRAIN, &raw)
    isRaw = true
    filter = OutputFilter()
    // Its title comes back at the end, where the terminal can do that.
    put(Array(("\u{1B}[22;0t" + String(repeating: "\r\n", count: size.rows)).utf8))
    reading?.setEvents(.readable)
  }

  /// Gives it back, with a line that says why.
  func leave(_ line: String?) {
    guard isRaw else { return }
    isRaw = false
    reading?.setEvents([])
    put(TerminalModes.farewell(from: filter.modes, rows: size.rows) + Array("\u{1B}[23;0t".utf8))
    if let line { put(Array("\r[segue-shell: \(line)]\r\n".utf8)) }
    flush()
    segue_terminal_unguard()
    tcsetattr(descriptor.raw, TCSADRAIN, &settings)
  }

  /// Writes the last bytes. The rest is lost when the terminal takes nothing for a while.
  private func flush() {
    var farewell = Farewell(waiting: queue.count, at: .now)
    while !queue.isEmpty, Instant.now < farewell.deadline {
      write()
      guard !queue.isEmpty else { return }
      farewell.waits(queue.count, at: .now)
      var poll = pollfd(fd: descriptor.raw, events: Int16(POLLOUT), revents: 0)
      _ = Glibc.poll(&poll, 1, 100)
    }
  }

  // MARK: Showing

  /// Shows a session's output.
  func show(_ bytes: [UInt8]) { put(filter.filter(bytes).shown) }

  /// A new connection begins with a drawing: half a sequence at the end of the former one is forgotten.
  func begin() {
    let modes = filter.modes
    filter = OutputFilter()
    if modes.isAlternate { _ = filter.filter(Array("\u{1B}[?1049h".utf8)) }
  }

  func setTitle(_ title: String) { put(Array("\u{1B}]2;\(ShellNames.clean(title))\u{7}".utf8)) }

  /// A line of our own, at the bottom, until the screen is drawn anew.
  func note(_ line: String) {
    let text = " segue-shell: \(DisplayText.clean(line, maximum: max(8, size.columns - 16))) "
    put(Array("\u{1B}7\u{1B}[?6l\u{1B}[\(size.rows);1H\u{1B}[0;7m\(text)\u{1B}[0m\u{1B}[K\u{1B}8".utf8))
  }

  private func put(_ bytes: [UInt8]) {
    queue += bytes
    write()
  }

  private func write() {
    let wasWaiting = writing?.events == .writable
    while !queue.isEmpty {
      let count = queue.withUnsafeBytes { Glibc.write(descriptor.raw, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      // The terminal is gone, which its hangup reports.
      guard count > 0 else {
        queue = []
        break
      }
      queue.removeFirst(count)
    }
    writing?.setEvents(queue.isEmpty ? [] : .writable)
    if queue.isEmpty, wasWaiting { drained?() }
  }

  private func read() {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
      count = Glibc.read(descriptor.raw, buffer.baseAddress, buffer.count)
      if count < 0 { count = errno == EAGAIN || errno == EINTR ? -1 : 0 }
      if count < 0 {
        count = 0
        hasNothing = true
      }
    }
    if hasNothing {
      hasNothing = false
      return
    }
    typed?(bytes)
  }

  private var hasNothing = false
}
