import SegueBus
import SegueCore
import SegueEngine
import SegueLink

/// Files that applications here bring from other devices: each arrives on a channel of its own, and a worker writes it.
/// The engine decides when a file is asked for, and when it is given up.
final class WantedFiles {
  /// One file, over all the links that it takes.
  private final class Wanted {
    let request: FileRequest
    let name: String
    let worker: FileWorker
    var channel: LinkChannel?
    var copy: FileCopy?
    var size: UInt64 = 0
    var version: [UInt8] = []
    var restarts = 0

    // State of the present channel.
    /// So much of the head is here; nil: all of it.
    var head: [UInt8]? = []
    /// Bytes of the file that have come, those before this channel included.
    var arrived: UInt64 = 0
    var digest: [UInt8] = []
    var isFinished = false
    /// The link is gone: what has come is still written.
    var isInterrupted = false

    // On its way to the disk, and what each frame of it counts for on the channel that it came on.
    var pieces: [ArraySlice<UInt8>] = []
    var charges: [Int] = []
    var charged: LinkChannel?
    var isWorking = false
    var isOver = false
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
    (file.head, file.arrived, file.digest) = ([], file.copy?.count ?? 0, [])
    (file.isFinished, file.isInterrupted) = (false, false)
    var request = file.request
    (request.offset, request.version) = (file.arrived, file.version)
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
    file.isOver = true
    leave(file)?.reset(code)
    consume(file)
    guard let copy = file.copy else { return }
    file.copy = nil
    // Behind what is being written.
    if !file.worker.run({ copy.discard() }, done: {}) { copy.discard() }
  }

  func close() {
    for file in wanted.values { file.isOver = true }
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
    file.charges.append(bytes.count)
    file.charged = channel
    do throws(SegueError) {
      try read(id, file, bytes)
    } catch {
      fail(id, error)
    }
    work(id, file)
  }

  private func read(_ id: FileID, _ file: Wanted, _ bytes: [UInt8]) throws(SegueError) {
    var rest = bytes[...]
    if let former = file.head {
      let all = former + bytes
      guard let (head, length) = try FileHead.decode(all) else { return file.head = all }
      file.head = nil
      switch head {
      case .failure(let error): throw error
      case .file(let description): try begin(id, file, description)
      }
      rest = all[length...]
    }
    let count = Int(clamping: min(file.size - file.arrived, UInt64(rest.count)))
    if count > 0 { file.pieces.append(rest.prefix(count)) }
    file.arrived += UInt64(count)
    file.digest += rest.dropFirst(count)
    guard file.digest.count <= FileHead.digestLength else { throw Self.malformed }
  }

  /// The other device agrees: it goes on, or begins anew with another version.
  private func begin(_ id: FileID, _ file: Wanted, _ head: FileHead.Description) throws(SegueError) {
    if file.copy != nil, head.version == file.version, head.size == file.size, head.offset == file.arrived {
      return report(id, file)
    }
    guard head.offset == 0 else { throw Self.malformed }
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
    (file.size, file.version, file.arrived) = (head.size, head.version, 0)
    let (cache, size) = (cache, head.size)
    run(id, file, { () throws(SegueError) in try cache.begin(size) }) { [weak self] copy in
      file.copy = copy
      self?.report(id, file)
    }
  }

  private func finished(_ id: FileID, _ file: Wanted) {
    guard file.head == nil, file.arrived == file.size, file.digest.count == FileHead.digestLength else {
      return fail(id, Self.malformed)
    }
    file.isFinished = true
    work(id, file)
  }

  private func closed(_ id: FileID, _ file: Wanted, _ error: SegueError?) {
    file.channel = nil
    guard let error else { return }
    // If the whole file has arrived, the end of the link does not matter.
    guard !file.isFinished else { return }
    guard error.code == .connectionUnavailable else {
      return fail(id, SegueError(ofFileToldByOther: error.code, words: ""))
    }
    file.isInterrupted = true
    work(id, file)
  }

  private func fail(_ id: FileID, _ error: SegueError) {
    guard wanted[id]?.isOver == false else { return }
    tell(.file(.failed(id, error)))
  }

  // MARK: The disk

  /// Does the next step, unless one is under way.
  private func work(_ id: FileID, _ file: Wanted) {
    guard !file.isOver, !file.isWorking else { return }
    if let copy = file.copy, !file.pieces.isEmpty {
      let pieces = file.pieces
      file.pieces = []
      run(id, file, { () throws(SegueError) in try copy.append(pieces) }) { [weak self] _ in
        if file.nextWord <= .now { self?.report(id, file) }
      }
    } else if file.isFinished, let copy = file.copy {
      let (name, digest) = (file.name, file.digest)
      file.isFinished = false
      run(id, file, { () throws(SegueError) in try copy.finish(as: name, digest) }) { [weak self] brought in
        guard let self else { return }
        file.isOver = true
        wanted[id] = nil
        tell(.file(.brought(id, brought)))
      }
    } else if file.isInterrupted {
      file.isInterrupted = false
      tell(.file(.interrupted(id)))
    } else {
      consume(file)
    }
  }

  private func consume(_ file: Wanted) {
    consumed(file.charges, on: file.charged)
    file.charges = []
  }

  /// Once for each frame.
  private func consumed(_ charges: [Int], on channel: LinkChannel?) {
    for count in charges { channel?.consumed(count) }
  }

  /// Does work on the file's worker, then what is next. Where that fails, the file is over.
  private func run<R: Sendable>(
    _ id: FileID, _ file: Wanted, _ work: @escaping @Sendable () throws(SegueError) -> R,
    _ done: @escaping (R) -> Void
  ) {
    let (charges, charged) = (file.charges, file.charged)
    file.charges = []
    file.isWorking = true
    let isAccepted = file.worker.run({ Result { () throws(SegueError) in try work() } }) { [weak self] result in
      file.isWorking = false
      self?.consumed(charges, on: charged)
      guard let self, !file.isOver else { return }
      switch result {
      case .success(let value):
        done(value)
        self.work(id, file)
      case .failure(let error): fail(id, error)
      }
    }
    guard !isAccepted else { return }
    file.isWorking = false
    consumed(charges, on: charged)
    fail(id, SegueError(.system, "The disk does not answer."))
  }

  private func report(_ id: FileID, _ file: Wanted) {
    file.nextWord = .now + Limits.fileProgressTime
    tell(.file(.progressed(id, done: file.copy?.count ?? 0, of: file.size)))
  }

  private static let malformed = SegueError(.protocolViolation, "The other device does not send as a file is sent.")
}
