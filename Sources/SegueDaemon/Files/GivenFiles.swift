import SegueBus
import SegueCore
import SegueEngine
import SegueLink

/// Files that other devices bring from here: each is opened by its application, read on a worker, and sent on the
/// channel that asks for it. The engine decides who gets one.
final class GivenFiles {
  private final class Given {
    let channel: LinkChannel
    let request: FileRequest
    let worker: FileWorker
    var source: FileSource?
    var room = Limits.streamBytes
    var isReading = false
    /// The channel has ended, or all was sent.
    var isOver = false
    var nextWord: Instant = 0
    /// The bytes that the other device has, and the file's size.
    var done: UInt64 = 0
    var size: UInt64 = 0

    init(_ channel: LinkChannel, _ request: FileRequest, _ worker: FileWorker) {
      self.channel = channel
      self.request = request
      self.worker = worker
    }
  }

  private let door: DoorService
  private let loop: EventLoop
  private let tell: (Event) -> Void
  private var given: [FileID: Given] = [:]
  /// The channels that other devices have opened, until the engine has answered them.
  private var unanswered: [ChannelID: LinkChannel] = [:]

  init(link: LinkService, door: DoorService, loop: EventLoop, tell: @escaping (Event) -> Void) {
    self.door = door
    self.loop = loop
    self.tell = tell
    link.routes["file"] = { [unowned self] in asked($0, $1) }
  }

  // MARK: The engine's requests

  func open(_ id: FileID, _ channel: ChannelID, _ request: FileRequest, _ session: SessionID) {
    guard let channel = unanswered.removeValue(forKey: channel) else {
      return tell(.door(session, .openedFile(id, SegueError(.connectionUnavailable, "The channel has ended."))))
    }
    given[id] = Given(channel, request, FileWorker(loop))
    channel.take = { [unowned self] in take(id, $0, $1) }
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
      (file.done, file.size) = (description.offset, description.size)
      file.channel.send(head)
      read(id, file)
    }
  }

  func refuse(_ channel: ChannelID, _ error: SegueError) {
    if let channel = unanswered.removeValue(forKey: channel) { return refuse(channel, error) }
    // The application was asked for it, and has not answered.
    guard let (id, file) = given.first(where: { $0.value.channel.id == channel }) else { return }
    given[id] = nil
    file.channel.take = { [unowned self] in take(nil, $0, $1) }
    refuse(file.channel, error)
  }

  private func refuse(_ channel: LinkChannel, _ error: SegueError) {
    guard let head = try? FileHead.failure(error).encode() else { return channel.reset(error.code) }
    channel.send(head, finishing: true)
  }

  func end(_ id: FileID, _ code: SegueError.Code) {
    guard let file = given.removeValue(forKey: id) else { return }
    file.channel.take = nil
    file.isOver = true
    file.channel.reset(code)
  }

  func close() {
    for file in given.values { file.isOver = true }
    given = [:]
    unanswered = [:]
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
        file.done += UInt64(bytes.count)
        file.channel.send(bytes)
        read(id, file)
      case .checked: read(id, file)
      case .end(let digest):
        file.isOver = true
        file.channel.send(digest, finishing: true)
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
    tell(.file(.sent(id, done: file.done, of: file.size)))
  }

  // MARK: Messages over the link

  private func asked(_ channel: LinkChannel, _ opening: ChannelRequest) {
    do throws(SegueError) {
      let request = try FileRequest(opening)
      unanswered[channel.id] = channel
      channel.take = { [unowned self] in take(nil, $0, $1) }
      tell(.link(.fileAsked(channel.id, channel.device, request)))
    } catch {
      refuse(channel, error)
    }
  }

  /// `id`: of the file, once the engine has answered.
  private func take(_ id: FileID?, _ channel: LinkChannel, _ event: LinkChannel.Event) {
    switch event {
    case .data(let bytes):
      // The device that asks for a file sends nothing more.
      channel.reset(.protocolViolation)
      channel.consumed(bytes.count)
    case .writable(let count):
      guard let id, let file = given[id] else { return }
      file.room = min(file.room + count, Limits.streamBytes)
      read(id, file)
    case .closed:
      guard let id else {
        unanswered[channel.id] = nil
        return tell(.file(.abandoned(channel.id)))
      }
      given.removeValue(forKey: id)?.isOver = true
      tell(.file(.ended(id)))
    case .finished, .stopped: break
    }
  }
}
