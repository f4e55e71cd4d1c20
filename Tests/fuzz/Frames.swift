// The bytes that come in over a link, after the TLS handshake or, in the server name, during it. By the first byte: a
// welcome or such a name; frames of a hostile peer; or two peers that keep to the protocol, whose owners do what the
// input says.

import NIOCore
import SegueCore

@testable import SegueLink

func fuzzFrame(_ input: [UInt8]) {
  var bytes = Bytes(input)
  switch bytes.below(3) {
  case 0:
    let rest = bytes.all()
    fuzzWelcome(rest)
    fuzzProof(rest)
  case 1: fuzzHostile(&bytes)
  default: fuzzPair(&bytes)
  }
}

private func fuzzWelcome(_ bytes: [UInt8]) {
  _ = Goodbye(ByteBuffer(bytes: bytes)).error
  do throws(SegueError) {
    let welcome = try Welcome(ByteBuffer(bytes: bytes))
    checkShown(welcome.name)
    check(welcome.name.utf8.count <= Limits.titleAdvised, "a name is too long")
    check(welcome.window >= UInt32(Flow.leastWindow), "a window is too small")
    let again = try Welcome(welcome.payload)
    check(again == welcome, "a welcome is another when it is said again")
    if let version = try? Welcome.common(Welcome.versions, welcome.versions) {
      check(Welcome.versions.contains(version) && welcome.versions.contains(version), "version \(version)")
    }
  } catch {
    check(error.code == .protocolViolation, "refused as \(error.code.name)")
  }
}

private func fuzzProof(_ bytes: [UInt8]) {
  guard let proof = Proof(name: String(decoding: bytes, as: UTF8.self)) else { return }
  check((1...Limits.proofTokens).contains(proof.tokens.count), "a proof has \(proof.tokens.count) tokens")
  check(Proof(name: proof.name) == proof, "a proof is another when it is said again")
}

// MARK: A hostile peer

/// All frames in the stream, and whether the decoder refused the stream in the end.
private func frames(_ stream: [UInt8], in pieces: Int) -> (frames: [Frame], isRefused: Bool) {
  var decoder = FrameDecoder()
  decoder.limit = Limits.frameLength
  var frames: [Frame] = []
  var rest = stream[...]
  do throws(SegueError) {
    while !rest.isEmpty {
      decoder.append(ByteBuffer(bytes: rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
      while let frame = try decoder.next() { frames.append(frame) }
    }
    return (frames, false)
  } catch {
    check(error.code == .protocolViolation, "refused as \(error.code.name)")
    return (frames, true)
  }
}

private func fuzzHostile(_ bytes: inout Bytes) {
  let flags = bytes.byte()
  let pieces = bytes.below(40) + 1
  var settings = LinkSettings()
  settings.channels = 3
  settings.window = flags & 2 == 0 ? Flow.leastWindow : Limits.channelWindow
  var end = MuxEnd(Mux(dialler: flags & 1 == 0, settings: settings, peerWindow: Flow.leastWindow))
  while !bytes.isEmpty {
    guard bytes.below(4) != 0 else {
      end.act(&bytes)
      if bytes.bool() { _ = end.pull() }
      continue
    }
    // A likely frame, or any bytes.
    var stream: [UInt8] = []
    if bytes.below(4) == 0 {
      stream = bytes.bytes()
    } else {
      var buffer = ByteBuffer()
      let kind = Frame.Kind(rawValue: bytes.byte() % 12)
      Frame(kind: kind, channel: UInt32(bytes.below(8)), payload: ByteBuffer(bytes: payload(of: kind, &bytes)))
        .write(to: &buffer)
      stream = Array(buffer: buffer)
    }
    let whole = frames(stream, in: stream.count)
    let parts = frames(stream, in: pieces)
    check(whole.frames == parts.frames && whole.isRefused == parts.isRefused, "it depends on how the bytes come")
    for frame in whole.frames where !end.receive(frame) { return }
    if whole.isRefused { return }
  }
}

private func payload(of kind: Frame.Kind, _ bytes: inout Bytes) -> [UInt8] {
  switch kind {
  case .window, .reset: bytes.take(4)
  case .data, .control, .open: [UInt8](repeating: 7, count: Int(truncatingIfNeeded: bytes.number() % 66_000))
  case .finish: []
  default: bytes.bytes()
  }
}

// MARK: Two peers

private func fuzzPair(_ bytes: inout Bytes) {
  var settings = LinkSettings()
  settings.channels = 4
  settings.window = Flow.leastWindow
  settings.queue = 200_000
  var ends = [true, false].map {
    MuxEnd(Mux(dialler: $0, settings: settings, peerWindow: settings.window))
  }
  while !bytes.isEmpty {
    let side = bytes.below(2)
    if bytes.bool() { ends[side].act(&bytes) } else { deliver(&ends, from: side) }
  }
  // All bytes that are under way arrive, and all that have arrived are consumed.
  var rounds = 0
  while deliver(&ends, from: 0) || deliver(&ends, from: 1) || ends[0].consume() || ends[1].consume() {
    rounds += 1
    check(rounds < 10_000, "they never come to rest")
  }
  for (one, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
    for (number, sent) in one.sent where one.reset.union(other.reset).isDisjoint(with: [number]) {
      check(other.received[number, default: 0] == sent, "channel \(number): \(sent) bytes were sent")
    }
    check(one.controls == other.heard, "\(one.controls) messages were sent, and \(other.heard) heard")
  }
}

/// Delivers what one side sends to the other; false if nothing was under way.
@discardableResult private func deliver(_ ends: inout [MuxEnd], from side: Int) -> Bool {
  let stream = ends[side].pull()
  for frame in frames(stream, in: 1 + stream.count).frames {
    check(ends[1 - side].receive(frame), "a peer that keeps to the protocol is refused")
  }
  return !stream.isEmpty
}

/// One end of a link, with its owner.
private struct MuxEnd {
  private var mux: Mux
  /// The channels that are open, and what was received on each and is not consumed yet.
  private var open: Set<UInt32> = []
  private var unconsumed: [(channel: UInt32, count: Int)] = []
  var sent: [UInt32: Int] = [:]
  var received: [UInt32: Int] = [:]
  /// Channels that ended before both sides had finished.
  var reset: Set<UInt32> = []
  var controls = 0
  var heard = 0

  init(_ mux: Mux) { self.mux = mux }

  /// False if the frame breaks the protocol.
  mutating func receive(_ frame: Frame) -> Bool {
    do throws(SegueError) {
      if frame.kind != .pong, frame.kind != .goodbye { try mux.receive(frame) }
      takeEffects()
      return true
    } catch {
      check(error.code == .protocolViolation, "refused as \(error.code.name)")
      checkShown(error)
      return false
    }
  }

  /// One action of the owner, as the input chooses.
  mutating func act(_ bytes: inout Bytes) {
    let channel = bytes.any(of: open.sorted()) ?? UInt32(bytes.below(8))
    switch bytes.below(8) {
    case 0:
      if (try? mux.sendControl([UInt8](repeating: 1, count: bytes.below(256)))) != nil { controls += 1 }
    case 1:
      if let number = try? mux.openChannel(first: bytes.bytes()) { check(open.insert(number).inserted, "opened twice") }
    case 2, 3:
      let count = Int(truncatingIfNeeded: bytes.number() % 300_000)
      let isOpen = open.contains(channel)
      mux.send([UInt8](repeating: 2, count: count), on: channel)
      takeEffects()
      if isOpen, open.contains(channel), !finished.contains(channel) { sent[channel, default: 0] += count }
    case 4:
      mux.finish(channel)
      finished.insert(channel)
    case 5:
      mux.reset(channel, SegueError(bytes.one(of: SegueError.Code.all), ""))
      reset.insert(channel)
    case 6: consume()
    default: if bytes.bool() { mux.ping() } else { mux.stopReading(channel) }
    }
    takeEffects()
  }

  private var finished: Set<UInt32> = []

  /// Consumes the bytes that came first.
  @discardableResult mutating func consume() -> Bool {
    guard !unconsumed.isEmpty else { return false }
    let (channel, count) = unconsumed.removeFirst()
    if channel == 0 { mux.consumedControl(count) } else { mux.consumed(count, on: channel) }
    return true
  }

  /// The bytes that may leave now.
  mutating func pull() -> [UInt8] {
    var buffer = ByteBuffer()
    while buffer.readableBytes < 1 << 20, mux.next(into: &buffer) {}
    takeEffects()
    return Array(buffer: buffer)
  }

  private mutating func takeEffects() {
    for effect in mux.takeEffects() {
      switch effect {
      case .control(let message):
        heard += 1
        unconsumed.append((0, message.count))
      case .opened(let number, let first):
        check(open.insert(number).inserted, "channel \(number) is opened twice")
        unconsumed.append((0, first.count))
      case .data(let number, let data):
        check(open.contains(number), "data of channel \(number), which is not open")
        received[number, default: 0] += data.count
        unconsumed.append((number, data.count))
      case .finished(let number), .stopped(let number), .writable(let number, _):
        check(open.contains(number), "news of channel \(number), which is not open")
      case .closed(let number, let error):
        check(open.remove(number) != nil, "channel \(number) ends twice")
        if error != nil { reset.insert(number) }
      }
    }
    // At most this much waits here, whatever a peer sends.
    check(open.count <= 8, "\(open.count) channels are open")
    let waiting = unconsumed.reduce(0) { $0 + $1.count + Flow.overhead }
    check(waiting <= 9 * Limits.channelWindowMost, "\(waiting) bytes wait for the owner")
  }
}
