import CLinux
import Glibc
import SegueCore
import SegueState

/// A process that tries a plugin, so that the plugin cannot harm this one.
struct CheckerProcess {
  let program: String
  /// The shared library, absolute.
  let plugin: String
  /// In milliseconds.
  let time: UInt64

  /// How it ended.
  enum End: Equatable {
    case exited(Int32)
    case signalled(Int32)
    case tookTooLong
  }

  /// Runs the process to its end, and returns its report.
  func run() throws(SegueError) -> (report: CheckerReport, end: End) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure(errno) }
    let reader = ends[0]
    defer { close(reader) }
    var process: pid_t = 0
    let watch = start(&process, report: ends[1])
    close(ends[1])
    guard watch >= 0 else { throw failure(-watch) }
    defer { close(watch) }
    var report = CheckerReport()
    let isLate = !Self.wait(for: watch, reading: reader, into: &report, until: Self.now + time)
    // The processes that it has started are killed with it. Its process id is still its own: it has not been waited for
    // yet.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    Self.endOrphans()
    let signal = status & 0x7F
    return (report, isLate ? .tookTooLong : signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal))
  }

  /// Returns a descriptor of the process, or a negative errno. The plugin prints to our standard error: our standard
  /// output is for the findings.
  private func start(_ process: inout pid_t, report: Int32) -> Int32 {
    let arguments = [program, plugin, String(SEGUE_REPORT_FILENO)].map { $0.withCString { strdup($0) } }
    defer { for argument in arguments { free(argument) } }
    return segue_spawn_reporting(arguments + [nil], report, &process)
  }

  /// Reads until the process has ended, and all that it had written then. False if it does not end in time.
  private static func wait(
    for process: Int32, reading pipe: Int32, into report: inout CheckerReport, until deadline: UInt64
  ) -> Bool {
    _ = segue_fcntl(pipe, F_SETFL, O_NONBLOCK)
    var isOpen = true
    while true {
      var polled = [
        pollfd(fd: process, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen ? pipe : -1, events: Int16(POLLIN), revents: 0),
      ]
      let now = now
      guard now < deadline else { return false }
      let count = poll(&polled, 2, Int32(clamping: deadline - now))
      if count < 0, errno != EINTR { return false }
      guard count > 0 else { continue }
      if isOpen, !read(pipe, into: &report) { isOpen = false }
      if polled[0].revents != 0 { return true }
    }
  }

  /// How often children of children are looked for.
  private static let orphanRounds = 100

  /// Kills processes that the plugin has started and put into a session of their own: by now they are children of this
  /// process, which adopts them. After `orphanRounds`, those that start others as fast as they are killed are left
  /// alone.
  private static func endOrphans() {
    for _ in 0..<orphanRounds {
      let orphans = ((try? File.read("/proc/thread-self/children")) ?? nil)?.split(separator: 0x20) ?? []
      let numbers = orphans.compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
      guard !numbers.isEmpty else { return }
      for number in numbers { kill(number, SIGKILL) }
      for number in numbers { while waitpid(number, nil, 0) < 0, errno == EINTR {} }
    }
  }

  /// Reads the bytes that are there; false if there will be no more.
  private static func read(_ pipe: Int32, into report: inout CheckerReport) -> Bool {
    var part = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(pipe, &part, part.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN }
    report.append(part[..<count])
    return count > 0
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }

  private func failure(_ code: Int32) -> SegueError {
    SegueError(
      .system, "\(program) cannot be run: \(String(cString: strerror(code))).",
      advice: "It is installed with Segue: make install.")
  }
}
