import SegueCore
import SegueEngine

/// One process's pair of descriptors. The bytes that it writes are numbers, from 0 on.
final class VirtualPair {
  enum End { case endOfFile, lost }

  private unowned let world: Simulation
  let name: String
  /// The process that holds the pair; nil before the pair has arrived there.
  private(set) var holder: VirtualProcess?
  /// These pass on that the holder writes, that it has finished writing, and that it has stopped reading.
  var write: (Int) -> Void = { _ in }
  var finish: (Int) -> Void = { _ in }
  var stop: () -> Void = {}
  private(set) var sent = 0
  private var received = 0
  private var end: End?
  private(set) var hasClosedOutput = false
  private var hasClosedInput = false

  init(_ world: Simulation, _ name: String) {
    self.world = world
    self.name = name
  }

  /// Whether no process holds an end of the pair that still matters.
  var isClosed: Bool { hasClosedOutput && hasClosedInput }

  // MARK: The process

  /// The pair arrives at its process, which writes some numbers, sometimes late, and closes its output.
  func arrive(at process: VirtualProcess) {
    holder = process
    var time: UInt64 = process.random.oneIn(10) ? 2 * Limits.streamIdleTime : 0
    for _ in 0..<process.random.below(4) {
      time += process.latency()
      process.after(time, "writes to \(name)") { [self] in
        guard !hasClosedOutput, end != .lost else { return }
        sent += 1
        write(sent - 1)
      }
    }
    process.after(time + process.latency(), "closes its output of \(name)") { [self] in closeOutput() }
    guard process.random.oneIn(6) else { return }
    process.after(process.latency(), "closes its input of \(name)") { [self] in closeInput() }
  }

  /// The pair never came, or its process has ended.
  func close() {
    closeOutput()
    closeInput()
  }

  private func closeOutput() {
    guard !hasClosedOutput else { return }
    hasClosedOutput = true
    finish(sent)
  }

  private func closeInput() {
    guard !hasClosedInput else { return }
    hasClosedInput = true
    stop()
  }

  // MARK: Arrivals

  func receive(_ number: Int) {
    guard end == nil, !hasClosedInput else { return }
    if number != received { world.problem("T4: \(name) got \(number) in place of \(received)") }
    received += 1
  }

  func endOfFile(_ count: Int) {
    guard end == nil, !hasClosedInput else { return }
    if received != count { world.problem("T4: \(name) ended in silence after \(received) of \(count)") }
    end = .endOfFile
  }

  func lose() {
    if end == nil { end = .lost }
    hasClosedOutput = true
  }

  func judge() {
    guard let holder, holder.isRunning, !hasClosedInput else { return }
    if end == nil { world.problem("T4: \(name) has no end") }
  }
}

/// One daemon's end of a stream to another device.
final class VirtualStreamEnd {
  let channel: ChannelID
  unowned let peer: VirtualDevice
  let pair: VirtualPair
  /// Whether this device has asked for the stream.
  let isAsker: Bool
  /// Whether both sides have their pairs. Until then, the process's earlier operations are kept in `waiting`.
  var isOpen = false
  var waiting: [() -> Void] = []
  private var isUsed = false
  private(set) var hasFinished = false
  private var isRemoteFinished = false

  init(_ channel: ChannelID, _ peer: VirtualDevice, _ pair: VirtualPair, isAsker: Bool) {
    self.channel = channel
    self.peer = peer
    self.pair = pair
    self.isAsker = isAsker
  }

  var isDone: Bool { hasFinished && isRemoteFinished && isOpen }

  // Each of these returns true once.
  func finishes() -> Bool { Self.set(&hasFinished) }
  func remoteFinishes() -> Bool { Self.set(&isRemoteFinished) }
  func isFirstUse() -> Bool { Self.set(&isUsed) }

  private static func set(_ flag: inout Bool) -> Bool {
    defer { flag = true }
    return !flag
  }
}
