import CLinux
import Glibc
import SegueBus
import SegueCore

/// The messages between the browser and this process, over standard input and output. Only `wait` blocks.
final class BrowserPipe {
  /// Each message that comes, whatever it is, and the length of each that is too long.
  var received: ((NativeMessageReader.Message) -> Void)?
  /// The browser has closed it, or does not read: why, where that is a fault.
  var ended: ((String?) -> Void)?

  private let input: Int32
  private let output: Int32
  private var reading: LoopWatch?
  private var writing: LoopWatch?
  private var reader = NativeMessageReader()
  private var queue: [UInt8] = []
  private(set) var isOpen = true

  /// Throws `system` where they cannot be watched, as files cannot.
  init(_ loop: EventLoop, input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) throws(SegueError) {
    self.input = input
    self.output = output
    let flags = segue_fcntl(output, F_GETFL, 0)
    guard flags >= 0, segue_fcntl(output, F_SETFL, flags | O_NONBLOCK) == 0 else {
      throw SegueError(.system, "Standard output cannot be used.")
    }
    reading = try loop.watch(input, .readable) { [unowned self] _ in read() }
    writing = try loop.watch(output, []) { [unowned self] _ in write() }
  }

  /// Reads and writes, and nothing else, until `isOver` or the moment has come.
  func wait(until deadline: Instant, or isOver: () -> Bool) {
    while isOpen, !isOver() {
      let time = Int32(clamping: Instant.now.time(until: deadline))
      guard time > 0 else { return }
      var descriptors = [pollfd(fd: input, events: Int16(POLLIN), revents: 0)]
      if !queue.isEmpty { descriptors.append(pollfd(fd: output, events: Int16(POLLOUT), revents: 0)) }
      guard poll(&descriptors, nfds_t(descriptors.count), time) > 0 else { continue }
      if descriptors.count > 1, descriptors[1].revents != 0 { write() }
      if descriptors[0].revents != 0 { read() }
    }
  }

  private func read() {
    guard isOpen else { return }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = bytes.withUnsafeMutableBytes { CLinux.read(input, $0.baseAddress, $0.count) }
    if count < 0, [EINTR, EAGAIN].contains(segue_errno()) { return }
    guard count > 0 else { return end(nil) }
    reader.append(bytes[..<count])
    while isOpen, let message = reader.next() { received?(message) }
  }

  func send(_ text: String) {
    guard isOpen else { return }
    queue += NativeMessageReader.framed(text)
    write()
    if queue.count > Limits.browserBacklog { end("the browser does not read what it is sent") }
  }

  private func write() {
    guard isOpen else { return }
    while !queue.isEmpty {
      let count = queue.withUnsafeBytes { CLinux.write(output, $0.baseAddress, $0.count) }
      if count < 0 {
        let error = segue_errno()
        if error == EINTR { continue }
        // A browser that no longer reads may still send messages; the input shows when it is gone.
        if error != EAGAIN { queue = [] }
        break
      }
      queue.removeFirst(count)
    }
    writing?.setEvents(queue.isEmpty ? [] : .writable)
  }

  private func end(_ fault: String?) {
    guard isOpen else { return }
    isOpen = false
    reading?.cancel()
    writing?.cancel()
    ended?(fault)
  }
}
