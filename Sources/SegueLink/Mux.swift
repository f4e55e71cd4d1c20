import NIOCore
import SegueCore

/// The channels of one link: how much each side may send, and in which order frames leave. It does no I/O; the
/// connection feeds it frames and calls, takes `effects`, and pulls frames out for as long as the socket takes them.
///
/// Order out: answers (window, reset, pong, finish without data), then control messages and opens in the order of the
/// calls, then data of the channels in turn. A control message or an open needs credit of the control flow.
struct Mux {
  enum Effect: Equatable {
    case control([UInt8])
    case opened(UInt32, [UInt8])
    case data(UInt32, [UInt8])
    case finished(UInt32)
    case stopped(UInt32)
    case closed(UInt32, SegueError?)
    case writable(UInt32, Int)
  }

  /// The flow with which every channel begins.
  private let newFlow: Flow
  private let channelLimit: Int
  private let queueLimit: Int
  private var nextNumber: UInt32
  private var highestPeer: UInt32 = 0
  private let ownParity: UInt32
  private var control: Flow
  private var messages: [Message] = []
  private var firstMessage = 0
  private var messageBytes = 0
  private var answers: [Frame] = []
  private var channels: [UInt32: MuxChannel] = [:]
  /// Channels that ended while their owner still has bytes to consume. They count as open: otherwise a peer could fill
  /// the owner's memory by opening, sending and resetting.
  private var draining: [UInt32: Flow] = [:]
  /// Channels with something to send, in turn.
  private var ready: [UInt32] = []
  private var effects: [Effect] = []

  private struct Message {
    var kind: Frame.Kind
    var channel: UInt32
    var bytes: [UInt8]
  }

  /// `dialler` numbers its channels odd, the other side even.
  init(dialler: Bool, settings: LinkSettings, peerWindow: Int) {
    newFlow = Flow(window: settings.window, windowMost: settings.windowMost, peerWindow: peerWindow)
    channelLimit = settings.channels
    queueLimit = settings.queue
    ownParity = dialler ? 1 : 0
    nextNumber = dialler ? 1 : 2
    control = Flow(window: settings.window, isPaced: true, peerWindow: peerWindow)
  }

  /// The effects since the last call.
  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Whether the channel has ended while its owner has bytes to consume.
  func isDraining(_ number: UInt32) -> Bool { draining[number] != nil }

  // MARK: Calls

  /// Queues a message. Throws `limitExceeded` if it is too long, or the peer has not read for long: then the link must
  /// end, since a message must not be lost silently.
  mutating func sendControl(_ bytes: [UInt8]) throws(SegueError) {
    try queue(Message(kind: .control, channel: 0, bytes: bytes))
  }

  /// Opens a channel and returns its number. Throws `limitExceeded`.
  mutating func openChannel(first: [UInt8]) throws(SegueError) -> UInt32 {
    guard count(of: ownParity) < channelLimit, nextNumber < UInt32.max - 2 else {
      throw SegueError(.limitExceeded, "This device has \(channelLimit) channels to the other open already.")
    }
    let number = nextNumber
    try queue(Message(kind: .open, channel: number, bytes: first))
    nextNumber += 2
    channels[number] = MuxChannel(flow: newFlow, announced: false)
    return number
  }

  /// Queues bytes. Resets a channel whose queue would grow beyond its limit: its owner did not wait.
  mutating func send(_ bytes: [UInt8], on number: UInt32) {
    guard channels[number] != nil, !bytes.isEmpty else { return }
    if channels[number]?.append(bytes, limit: queueLimit) == false {
      return reset(number, SegueError(.limitExceeded, "More was sent at once than may wait."))
    }
    makeReady(number)
  }

  /// Ends this side's sending on the channel.
  mutating func finish(_ number: UInt32) {
    guard channels[number]?.finishing == false else { return }
    channels[number]?.finishing = true
    makeReady(number)
  }

  /// Tells the other side that this side reads the channel no more.
  mutating func stopReading(_ number: UInt32) {
    guard channels[number]?.announced == true, channels[number]?.remoteFinished == false else { return }
    answers.append(Frame(kind: .stop, channel: number))
  }

  /// Ends the channel at once, and drops the bytes that wait.
  mutating func reset(_ number: UInt32, _ error: SegueError) {
    guard let channel = channels[number] else { return }
    if channel.announced {
      answers.append(Self.reset(number, error.code))
    } else if let index = messages[firstMessage...].firstIndex(where: { $0.kind == .open && $0.channel == number }) {
      messageBytes -= Flow.cost(messages[index].bytes.count)
      messages.remove(at: index)
    }
    end(number, error)
  }

  /// Notes that the owner is done with a message, or with the request of a channel.
  mutating func consumedControl(_ count: Int) {
    if let more = control.consumed(count) { answers.append(Self.window(0, more)) }
  }

  /// Notes that the owner is done with bytes of a channel.
  mutating func consumed(_ count: Int, on number: UInt32) {
    if let more = channels[number]?.flow.consumed(count) {
      if channels[number]?.remoteFinished == false { answers.append(Self.window(number, more)) }
    } else if draining[number] != nil {
      _ = draining[number]?.consumed(count)
      if draining[number]?.outstanding == 0 { draining[number] = nil }
    }
  }

  /// Queues a ping, ahead of all data. Its byte comes back in the pong: without it both were as short as a heartbeat, and
  /// woke nobody on a quiet link (`Welcome.isDistinct`).
  mutating func ping() { answers.append(Frame(kind: .ping, payload: ByteBuffer(bytes: [0]))) }

  /// Queues a sign of life that the other side does not answer.
  mutating func heartbeat() { answers.append(Frame(kind: .heartbeat)) }

  // MARK: Frames in

  /// Takes one frame, and returns its charge. Throws `protocolViolation`; the link must then end.
  @discardableResult mutating func receive(_ frame: Frame) throws(SegueError) -> Int {
    let charge =
      switch frame.kind {
      case .control: try receiveControl(frame)
      case .open: try receiveOpen(frame)
      case .data: try receiveData(frame)
      default: try receiveFree(frame)
      }
    guard answers.count <= Limits.channelAnswers else {
      throw SegueError(.protocolViolation, "The other device asks, and does not read the answers.")
    }
    return charge
  }

  private mutating func receiveControl(_ frame: Frame) throws(SegueError) -> Int {
    guard frame.channel == 0, frame.payload.readableBytes > 0 else { throw Self.malformed("control") }
    try control.received(frame.payload.readableBytes)
    effects.append(.control(Array(buffer: frame.payload)))
    return 0
  }

  private mutating func receiveFree(_ frame: Frame) throws(SegueError) -> Int {
    switch frame.kind {
    case .window:
      let more = try Flow.credit(frame.payload)
      if frame.channel == 0 {
        try control.granted(more)
      } else if try isOpen(frame.channel) {
        try channels[frame.channel]?.flow.granted(more)
        makeReady(frame.channel)
      }
    case .finish:
      guard frame.payload.readableBytes == 0 else { throw Self.malformed("finish") }
      guard try isOpen(frame.channel) else { break }
      guard channels[frame.channel]?.remoteFinished == false else { throw Self.malformed("finish") }
      channels[frame.channel]?.remoteFinished = true
      effects.append(.finished(frame.channel))
      closeIfDone(frame.channel)
    case .stop:
      // Optional, as every type from 128 on: a frame that does not fit is skipped, and a repeated one has no effect.
      guard channels[frame.channel]?.remoteStopped == false else { break }
      channels[frame.channel]?.remoteStopped = true
      effects.append(.stopped(frame.channel))
    case .reset:
      guard frame.payload.readableBytes == 4, let raw: Int32 = frame.payload.getInteger(at: frame.payload.readerIndex)
      else { throw Self.malformed("reset") }
      guard try isOpen(frame.channel) else { break }
      // The peer cannot say `connectionUnavailable`: only this side knows when the link is lost.
      let code = SegueError.Code.all.first { $0.rawValue == raw && $0 != .connectionUnavailable } ?? .handoffFailed
      end(frame.channel, SegueError(code, "The other device ended the channel (\(code.name))."))
    case .ping:
      guard frame.channel == 0, frame.payload.readableBytes <= 8 else { throw Self.malformed("ping") }
      answers.append(Frame(kind: .pong, payload: frame.payload))
    case .pong:
      // A pong is a sign of life, whichever ping it answers.
      guard frame.channel == 0, frame.payload.readableBytes <= 8 else { throw Self.malformed("pong") }
    default:
      guard frame.kind.isOptional else {
        throw SegueError(.protocolViolation, "A frame of unknown type \(frame.kind.rawValue).")
      }
    }
    return ChargeLimit.ofFree(frame.payload.readableBytes)
  }

  private mutating func receiveOpen(_ frame: Frame) throws(SegueError) -> Int {
    let number = frame.channel
    guard number != 0, number & 1 != ownParity, number > highestPeer else { throw Self.malformed("open") }
    try control.received(frame.payload.readableBytes)
    highestPeer = number
    guard count(of: 1 - ownParity) < channelLimit else {
      answers.append(Self.reset(number, .limitExceeded))
      consumedControl(frame.payload.readableBytes)
      return ChargeLimit.ofFree(frame.payload.readableBytes)
    }
    channels[number] = MuxChannel(flow: newFlow, announced: true)
    effects.append(.opened(number, Array(buffer: frame.payload)))
    return 0
  }

  private mutating func receiveData(_ frame: Frame) throws(SegueError) -> Int {
    guard frame.payload.readableBytes > 0 else { throw Self.malformed("data") }
    guard try isOpen(frame.channel) else { return ChargeLimit.ofFree(frame.payload.readableBytes) }
    guard channels[frame.channel]?.remoteFinished == false else { throw Self.malformed("data") }
    try channels[frame.channel]?.flow.received(frame.payload.readableBytes)
    effects.append(.data(frame.channel, Array(buffer: frame.payload)))
    return ChargeLimit.ofData(frame.payload.readableBytes)
  }

  // MARK: Frames out

  /// Appends the next frame to `buffer`; false if none may leave now.
  mutating func next(into buffer: inout ByteBuffer) -> Bool {
    if !answers.isEmpty {
      for frame in answers { frame.write(to: &buffer) }
      answers.removeAll(keepingCapacity: answers.count < 16)
      return true
    }
    if firstMessage < messages.count, control.credit >= Flow.cost(messages[firstMessage].bytes.count) {
      writeMessage(to: &buffer)
      return true
    }
    while let number = ready.first {
      ready.removeFirst()
      if writeData(of: number, to: &buffer) { return true }
    }
    return false
  }

  private mutating func writeMessage(to buffer: inout ByteBuffer) {
    let message = messages[firstMessage]
    firstMessage += 1
    if firstMessage == messages.count {
      messages.removeAll(keepingCapacity: true)
      firstMessage = 0
    }
    messageBytes -= Flow.cost(message.bytes.count)
    control.sent(message.bytes.count)
    Frame.writeHeader(message.kind, message.channel, length: message.bytes.count, to: &buffer)
    buffer.writeBytes(message.bytes)
    if message.kind == .open {
      channels[message.channel]?.announced = true
      makeReady(message.channel)
    }
  }

  private mutating func writeData(of number: UInt32, to buffer: inout ByteBuffer) -> Bool {
    guard let sent = channels[number]?.write(number, to: &buffer) else { return false }
    channels[number]?.unreported += sent
    if let count = channels[number]?.unreported, count >= queueLimit / 4 {
      channels[number]?.unreported = 0
      effects.append(.writable(number, count))
    }
    makeReady(number)
    closeIfDone(number)
    return true
  }

  // MARK: Helpers

  private mutating func queue(_ message: Message) throws(SegueError) {
    let cost = Flow.cost(message.bytes.count)
    guard !message.bytes.isEmpty || message.kind == .open, message.bytes.count <= Limits.frameLength,
      messageBytes + cost <= queueLimit
    else { throw SegueError(.limitExceeded, "A message is empty or too long, or too many wait to be sent.") }
    messageBytes += cost
    messages.append(message)
  }

  private mutating func makeReady(_ number: UInt32) {
    guard channels[number]?.canWrite == true, !ready.contains(number) else { return }
    ready.append(number)
  }

  private mutating func closeIfDone(_ number: UInt32) {
    guard let channel = channels[number], channel.remoteFinished, channel.finished else { return }
    end(number, nil)
  }

  private mutating func end(_ number: UInt32, _ error: SegueError?) {
    guard let channel = channels.removeValue(forKey: number) else { return }
    if channel.flow.outstanding > 0 { draining[number] = channel.flow }
    effects.append(.closed(number, error))
  }

  /// Channels that the side with this parity has opened.
  private func count(of parity: UInt32) -> Int {
    channels.keys.count { $0 & 1 == parity } + draining.keys.count { $0 & 1 == parity }
  }

  /// Whether the channel is open; false if it has ended, since frames cross on the way. Throws if it was never open.
  private func isOpen(_ number: UInt32) throws(SegueError) -> Bool {
    if channels[number] != nil { return true }
    guard number != 0, number & 1 == ownParity ? number < nextNumber : number <= highestPeer else {
      throw SegueError(.protocolViolation, "A frame for channel \(number), which was never opened.")
    }
    return false
  }

  private static func malformed(_ kind: String) -> SegueError {
    SegueError(.protocolViolation, "A malformed or misplaced frame: \(kind).")
  }

  private static func reset(_ number: UInt32, _ code: SegueError.Code) -> Frame {
    Frame(kind: .reset, channel: number, payload: ByteBuffer(integer: code.rawValue))
  }

  private static func window(_ number: UInt32, _ more: UInt32) -> Frame {
    Frame(kind: .window, channel: number, payload: ByteBuffer(integer: more))
  }
}
