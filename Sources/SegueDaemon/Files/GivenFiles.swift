import SegueBus
import SegueCore
import SegueEngine

/// Files that other devices bring from here: each is opened by its application, read on a worker, and sent on the
/// channel that asks for it. The engine decides who gets one.
final class GivenFiles {
  private final class Given {
    let channel: ChannelID
    let request: FileRequest
    let worker: FileWorker
    var source: FileSource?
    var room = Limits.streamBytes
    var isReading = false
    /// The channel has ended, or all was sent.
    var isOver = false
    var nextWord: Instant = 0

    init(_ channel: ChannelID, _ request: FileRequest, _ worker: FileWorker) {
      self.channel = channel
      self.request = request
      self.worker = worker
    }
  }

  private let link: LinkService
  private let door: DoorService
  private let loop: EventLoop
  private let tell: (Event) -> Void
  private var given: [FileID: Given] = [:]
  private var ids: [ChannelID: FileID] = [:]

  init(link: LinkService, door: DoorService, loop: EventLoop, tell: @escaping (Event) -> Void) {
    self.link = link
    self.door = door
    self.loop = loop
    self.tell = tell
    link.routes["file"] = ChannelRoute(
      opened: { [unowned self] in asked($0, $1, $2) }, data: { [unowned self] channel, _ in spoke(channel) },
      writable: { [unowned self] in writable($0, $1) }, closed: { [unowned self] channel, _ in closed(channel) })
  }

  // MARK: The engine's requests

  func open(_ id: FileID, _ channel: ChannelID, _ request: FileRequest, _ session: SessionID) {
    given[id] = Given(channel, request, FileWorker(loop))
    ids[channel] = id
    door.openFile(request.activity, request.url, session) { [weak self] result in
      guard let self else { return }
      var failure: SegueError?
      switch result {
      case .success(let file): given[id]?.source = FileSource(file)
      case .failure(let error): failure = error
      }
      tell(.door(session, .openedFile(id, failure)))
    }
  }

  /// First the head, then what the other device does not have.
  func send(_ id: FileID) {
    guard let file = given[id], let source = file.source else { return }
    let request = file.request
    run(file, id, { () throws(SegueError) in try source.begin(at: request.offset, of: request.version) }) {
      [weak self] in self?.skip(id, $0)
    }
  }

  private func skip(_ id: FileID, _ description: FileHead.Description) {
    guard let file = given[id], let source = file.source else { return }
    run(file, id, { () throws(SegueError) in try source.skip(to: description.offset) }) { [weak self] isThere in
      guard let self else { return }
      note(id, file)
      guard isThere else { return skip(id, description) }
      guard let head = try? FileHead.file(description).encode() else { return }
      link.send(head, on: file.channel)
      read(id, file)
    }
  }

  func refuse(_ channel: ChannelID, _ error: SegueError) {
    if let id = ids.removeValue(forKey: channel) { given[id] = nil }
    guard let head = try? FileHead.failure(error).encode() else { return link.reset(channel, error.code) }
    link.send(head, on: channel, finishing: true)
  }

  func end(_ id: FileID, _ code: SegueError.Code) {
    guard let file = given.removeValue(forKey: id) else { return }
    ids[file.channel] = nil
    file.isOver = true
    link.reset(file.channel, code)
  }

  func close() {
    for file in given.values { file.isOver = true }
    given = [:]
    ids = [:]
  }

  // MARK: Reading

  private func read(_ id: FileID, _ file: Given) {
    guard !file.isOver, !file.isReading, file.room >= Limits.frameLength, let source = file.source else { return }
    let count = min(file.room, Limits.filePiece)
    run(file, id, { () throws(SegueError) in try source.next(count) }) { [weak self] piece in
      guard let self else { return }
      note(id, file)
      switch piece {
      case .bytes(let bytes):
        file.room -= bytes.count
        link.send(bytes, on: file.channel)
        read(id, file)
      case .checked: read(id, file)
      case .end(let digest):
        file.isOver = true
        link.send(digest, on: file.channel, finishing: true)
      }
    }
  }

  /// Does work on the file's worker. Where that fails, the file is over.
  private func run<R: Sendable>(
    _ file: Given, _ id: FileID, _ work: @escaping @Sendable () throws(SegueError) -> R, _ done: @escaping (R) -> Void
  ) {
    file.isReading = true
    let isAccepted = file.worker.run({ Result { () throws(SegueError) in try work() } }) { [weak self] result in
      file.isReading = false
      guard let self, !file.isOver else { return }
      switch result {
      case .success(let value): done(value)
      case .failure(let error): fail(id, file, error)
      }
    }
    if !isAccepted { fail(id, file, SegueError(.system, "The disk does not answer.")) }
  }

  private func fail(_ id: FileID, _ file: Given, _ error: SegueError) {
    end(id, error.code)
    tell(.file(.ended(id)))
  }

  /// It goes on.
  private func note(_ id: FileID, _ file: Given) {
    guard Instant.now >= file.nextWord else { return }
    file.nextWord = .now + Limits.fileRetryTime
    tell(.file(.sent(id)))
  }

  // MARK: Messages over the link

  private func asked(_ channel: ChannelID, _ device: DeviceID, _ request: ChannelRequest) {
    do throws(SegueError) {
      tell(.link(.fileAsked(channel, device, try FileRequest(request))))
    } catch {
      refuse(channel, error)
    }
  }

  private func writable(_ channel: ChannelID, _ count: Int) {
    guard let id = ids[channel], let file = given[id] else { return }
    file.room = min(file.room + count, Limits.streamBytes)
    read(id, file)
  }

  /// A device that asks for a file sends no more than its request.
  private func spoke(_ channel: ChannelID) {
    link.reset(channel, .protocolViolation)
  }

  private func closed(_ channel: ChannelID) {
    guard let id = ids.removeValue(forKey: channel) else { return tell(.file(.abandoned(channel))) }
    given.removeValue(forKey: id)?.isOver = true
    tell(.file(.ended(id)))
  }
}
