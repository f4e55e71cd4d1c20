import SegueBus
import SegueCore
import SegueEngine
import SegueLink

/// Files that applications here bring from other devices: each arrives on a channel of its own, and a worker writes it.
/// The engine decides when a file is asked for, and when it is given up.
final class WantedFiles {
  private enum Stage {
    /// The file arrives on a channel, or is about to.
    case coming
    /// The link is gone; the bytes that have arrived are written, then the engine hears of it.
    case interrupted
    /// The whole file has arrived; its last bytes are written, then all is checked.
    case complete
    case checked
    /// The file is here, or was given up.
    case over
  }

  /// The charge of each frame that has arrived on a channel, until its bytes are written.
  private struct Charges {
    var counts: [Int] = []
    var channel: LinkChannel?

    mutating func take() -> Charges {
      defer { counts = [] }
      return self
    }
  }

  /// One file, over all the links that it takes.
  private final class Wanted {
    let request: FileRequest
    let name: String
    let worker: FileWorker
    var stage = Stage.coming
    var channel: LinkChannel?
    var incoming = IncomingFile()
    /// The bytes on the disk, of this version.
    var copy: FileCopy?
    var version: [UInt8] = []
    var restarts = 0
    /// On its way to the disk.
    var pieces: [ArraySlice<UInt8>] = []
    var charges = Charges()
    var isWorking = false
    var nextWord: Instant = 0

    init(_ request: FileRequest, _ name: String, _ worker: FileWorker) {
      self.request = request
      self.name = name
      self.worker = worker
    }
  }

  private let link: LinkService
  private let cache: FileCache
  private let loop: EventLoop
  private let tell: (Event) -> Void
  private var wanted: [FileID: Wanted] = [:]

  init(_ cache: FileCache, link: LinkService, loop: EventLoop, tell: @escaping (Event) -> Void) {
    self.cache = cache
    self.link = link
    self.loop = loop
    self.tell = tell
  }

  // MARK: The engine's requests

  func bring(_ id: FileID, _ request: FileRequest, _ device: DeviceID) {
    let file = wanted[id] ?? make(id, request)
    leave(file)
    consume(file)
    file.incoming.goOn(after: file.copy?.count ?? 0)
    file.stage = .coming
    var request = file.request
    (request.offset, request.version) = (file.incoming.arrived, file.version)
    do throws(SegueError) {
      let channel = try link.openChannel(to: device, first: try request.encode(), finishing: true)
      channel.take = { [unowned self] in take(id, $0, $1) }
      file.channel = channel
    } catch {
      tell(.file(error.code == .connectionUnavailable ? .interrupted(id) : .failed(id, error)))
    }
  }

  private func make(_ id: FileID, _ request: FileRequest) -> Wanted {
    let name = FileURL(request.url).map { BroughtFile.name(for: $0) } ?? "file"
    let file = Wanted(request, name, FileWorker(loop))
    wanted[id] = file
    return file
  }

  func drop(_ id: FileID, _ code: SegueError.Code) {
    guard let file = wanted.removeValue(forKey: id) else { return }
    file.stage = .over
    leave(file)?.reset(code)
    consume(file)
    guard let copy = file.copy else { return }
    file.copy = nil
    // Behind what is being written.
    if !file.worker.run({ copy.discard() }, done: {}) { copy.discard() }
  }

  func close() {
    for file in wanted.values { file.stage = .over }
    wanted = [:]
  }

  /// The channel is not the file's any more.
  @discardableResult private func leave(_ file: Wanted) -> LinkChannel? {
    defer { file.channel = nil }
    file.channel?.take = nil
    return file.channel
  }

  // MARK: Messages over the link

  private func take(_ id: FileID, _ channel: LinkChannel, _ event: LinkChannel.Event) {
    guard let file = wanted[id] else { return }
    switch event {
    case .data(let bytes): data(id, file, channel, bytes)
    case .finished: finished(id, file)
    case .closed(let error): closed(id, file, error)
    case .stopped, .writable: break
    }
  }

  private func data(_ id: FileID, _ file: Wanted, _ channel: LinkChannel, _ bytes: [UInt8]) {
    file.charges.counts.append(bytes.count)
    file.charges.channel = channel
    do throws(SegueError) {
      try read(id, file, bytes)
    } catch {
      fail(id, error)
    }
    work(id, file)
  }

  private func read(_ id: FileID, _ file: Wanted, _ bytes: [UInt8]) throws(SegueError) {
    guard let (head, rest) = try file.incoming.takeHead(bytes) else { return }
    switch head {
    case .failure(let error)?: throw error
    case .file(let description)?: try begin(id, file, description)
    case nil: break
    }
    let piece = try file.incoming.take(rest)
    if !piece.isEmpty { file.pieces.append(piece) }
  }

  /// The other device agrees: it goes on, or begins anew with another version.
  private func begin(_ id: FileID, _ file: Wanted, _ head: FileHead.Description) throws(SegueError) {
    let incoming = file.incoming
    if file.copy != nil, head.version == file.version, head.size == incoming.size, head.offset == incoming.arrived {
      return report(id, file)
    }
    guard head.offset == 0 else { throw IncomingFile.malformed }
    if file.copy != nil || file.restarts > 0 {
      guard file.restarts < Limits.fileRestarts else {
        throw SegueError(ofFileToldByOther: .handoffFailed, words: "")
      }
    }
    if let former = file.copy {
      file.restarts += 1
      file.copy = nil
      _ = file.worker.run({ former.discard() }, done: {})
    }
    file.version = head.version
    file.incoming.beginAnew(size: head.size)
    let (cache, size) = (cache, head.size)
    run(id, file, { () throws(SegueError) in try cache.begin(size) }) { [weak self] copy in
      file.copy = copy
      self?.report(id, file)
    }
  }

  private func finished(_ id: FileID, _ file: Wanted) {
    guard file.incoming.isComplete else { return fail(id, IncomingFile.malformed) }
    file.stage = .complete
    work(id, file)
  }

  private func closed(_ id: FileID, _ file: Wanted, _ error: SegueError?) {
    file.channel = nil
    // If the whole file has arrived, the end of the link does not matter.
    guard let error, file.stage == .coming else { return }
    guard error.code == .connectionUnavailable else {
      return fail(id, SegueError(ofFileToldByOther: error.code, words: ""))
    }
    file.stage = .interrupted
    work(id, file)
  }

  private func fail(_ id: FileID, _ error: SegueError) {
    guard wanted[id] != nil else { return }
    tell(.file(.failed(id, error)))
  }

  // MARK: The disk

  /// Does the next step, unless one is under way.
  private func work(_ id: FileID, _ file: Wanted) {
    guard !file.isWorking else { return }
    if let copy = file.copy, !file.pieces.isEmpty, file.stage != .over {
      let pieces = file.pieces
      file.pieces = []
      return run(id, file, { () throws(SegueError) in try copy.append(pieces) }) { [weak self] _ in
        if file.nextWord <= .now { self?.report(id, file) }
      }
    }
    switch file.stage {
    case .over: break
    case .complete:
      guard let copy = file.copy else { return consume(file) }
      let (name, digest) = (file.name, file.incoming.digest)
      file.stage = .checked
      run(id, file, { () throws(SegueError) in try copy.finish(as: name, digest) }) { [weak self] brought in
        guard let self else { return }
        file.stage = .over
        wanted[id] = nil
        tell(.file(.brought(id, brought)))
      }
    case .interrupted:
      file.stage = .coming
      tell(.file(.interrupted(id)))
    case .coming, .checked: consume(file)
    }
  }

  private func consume(_ file: Wanted) { consumed(file.charges.take()) }

  /// Once for each frame.
  private func consumed(_ charges: Charges) {
    guard let channel = charges.channel else { return }
    for count in charges.counts { channel.consumed(count) }
  }

  /// Does work on the file's worker, then what is next. Where that fails, the file is over.
  private func run<R: Sendable>(
    _ id: FileID, _ file: Wanted, _ work: @escaping @Sendable () throws(SegueError) -> R,
    _ done: @escaping (R) -> Void
  ) {
    let charges = file.charges.take()
    file.isWorking = true
    let isAccepted = file.worker.run({ Result { () throws(SegueError) in try work() } }) { [weak self] result in
      file.isWorking = false
      self?.consumed(charges)
      guard let self, file.stage != .over else { return }
      switch result {
      case .success(let value):
        done(value)
        self.work(id, file)
      case .failure(let error): fail(id, error)
      }
    }
    guard !isAccepted else { return }
    file.isWorking = false
    consumed(charges)
    fail(id, SegueError(.system, "The disk does not answer."))
  }

  private func report(_ id: FileID, _ file: Wanted) {
    file.nextWord = .now + Limits.fileProgressTime
    tell(.file(.progressed(id, done: file.copy?.count ?? 0, of: file.incoming.size)))
  }
}
