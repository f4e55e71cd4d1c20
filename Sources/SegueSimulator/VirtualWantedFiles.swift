import SegueCore
import SegueEngine

/// The service for files, where they are brought to: each on a channel of its own for each link that it takes.
final class VirtualWantedFiles {
  /// The calls of processes that ask for files.
  private var wishes: [RequestID: VirtualFile] = [:]
  private var files: [FileID: VirtualWantedFile] = [:]
  private unowned let daemon: VirtualDaemon

  init(of daemon: VirtualDaemon) { self.daemon = daemon }

  private var device: VirtualDevice { daemon.device }
  private var world: Simulation { daemon.world }
  private func handle(_ event: Event) { daemon.handle(event) }

  /// The event of a process's request, for the engine.
  func wants(_ file: VirtualFile, _ request: RequestID) -> Event.DoorEvent {
    wishes[request] = file
    return .bringFile(continuation: file.continuation, url: file.url, transfer: file.number, request)
  }

  /// Whether it has no reply yet, and its process is there.
  private func isWaiting(_ file: VirtualFile) -> Bool {
    daemon.doors[file.session] != nil && wishes.values.contains { $0 === file }
  }

  // MARK: The engine's requests

  func bring(_ id: FileID, _ request: FileRequest, _ origin: DeviceID) {
    guard let origin = world.device(origin) else { return world.problem("a file of no device") }
    if !device.isPaired(origin) { world.problem("V14: a device that is not paired is asked for a file") }
    guard let file = files[id] ?? make(id, request, origin), isWaiting(file.file) else {
      return world.problem("a file is asked for that nobody waits for")
    }
    let channel = ChannelID(value: world.newNumber())
    file.channel = channel
    guard daemon.link(to: origin) != nil else { return lose(id, file) }
    var request = request
    (request.offset, request.version) = (file.count, file.version)
    ask(origin, request, channel)
  }

  func ask(_ origin: VirtualDevice, _ request: FileRequest, _ channel: ChannelID) {
    let own = device
    daemon.pass(origin, "file \(channel)") { $0.givenFiles.asked(channel, own, request) }
  }

  private func make(_ id: FileID, _ request: FileRequest, _ origin: VirtualDevice) -> VirtualWantedFile? {
    let own = wishes.filter { _, file in
      !file.isAsked && file.continuation == request.continuation && file.url == request.url && isWaiting(file)
    }
    guard let file = own.min(by: { $0.key < $1.key })?.value else { return nil }
    file.isAsked = true
    let wanted = VirtualWantedFile(file, request, from: origin)
    files[id] = wanted
    return wanted
  }

  func drop(_ id: FileID, _ code: SegueError.Code) {
    guard let file = files.removeValue(forKey: id) else {
      return world.problem("a file is dropped that is not on its way")
    }
    guard let channel = file.channel else { return }
    daemon.pass(file.origin, "file \(channel) is reset: \(code.name)") { $0.givenFiles.left(channel) }
  }

  func tell(_ session: SessionID, _ transfer: UInt64, _ done: UInt64, _ size: UInt64) {
    guard let door = daemon.doors[session],
      let file = wishes.values.first(where: { $0.session == session && $0.number == transfer })
    else { return world.problem("an application is told of a file that has ended") }
    if !device.isPaired(file.activity.device) { world.problem("V14: a file comes of a device that is not paired") }
    door.toProcess("\(done) of \(size) of file \(transfer)") { file.told(done, of: size) }
  }

  // MARK: Messages over the link

  private func file(_ channel: ChannelID) -> (FileID, VirtualWantedFile)? {
    files.first { $0.value.channel == channel }.map { ($0.key, $0.value) }
  }

  /// The other device agrees: it goes on, or begins anew with another version.
  func begins(_ channel: ChannelID, _ version: [UInt8], _ size: UInt64, at offset: UInt64) {
    guard let (id, file) = file(channel) else { return }
    guard !device.store.isFull else { return fail(id, SegueError(.limitExceeded, "There is no room.")) }
    if file.version == version, file.count == offset {
      if offset > 0 { file.file.isResumed = true }
    } else {
      if offset != 0 { world.problem("a file goes on where nothing of it is") }
      if !file.version.isEmpty {
        guard file.restarts < Limits.fileRestarts else {
          return fail(id, SegueError(.handoffFailed, "It changes."))
        }
        file.restarts += 1
        file.file.isRenewed = true
      }
      (file.version, file.size, file.count) = (version, size, 0)
    }
    handle(.file(.progressed(id, done: file.count, of: file.size)))
  }

  func piece(_ channel: ChannelID, _ version: [UInt8], _ number: UInt64) {
    guard let (id, file) = file(channel) else { return }
    if file.version != version || file.count != number {
      world.problem("a file gets \(number) in place of \(file.count)")
    }
    file.count += 1
    handle(.file(.progressed(id, done: file.count, of: file.size)))
  }

  /// The whole file has arrived. While it is written, the end of the link does not matter.
  func finished(_ channel: ChannelID) {
    guard let (id, file) = file(channel) else { return }
    file.channel = nil
    world.after(device.latency(), on: device, "\(device.name): \(channel) is written") { [self, daemon] in
      guard daemon.isRunning, files[id] === file else { return }
      files[id] = nil
      let brought = BroughtFile(path: file.file.path, size: file.count, digest: file.version)
      handle(.file(.brought(id, brought)))
    }
  }

  func refused(_ channel: ChannelID, _ error: SegueError) {
    guard let (id, file) = file(channel) else { return }
    file.channel = nil
    fail(id, SegueError(ofFileToldByOther: error.code, words: error.message))
  }

  private func fail(_ id: FileID, _ error: SegueError) {
    handle(.file(.failed(id, error)))
    if daemon.isRunning, files[id] != nil { world.problem("a file that has failed goes on") }
  }

  func lose(from peer: VirtualDevice) {
    for (id, file) in files.sorted(by: { $0.key < $1.key }) where file.origin === peer && file.channel != nil {
      lose(id, file)
    }
  }

  /// Told when what has come is written: at once, or when there may be another link.
  private func lose(_ id: FileID, _ file: VirtualWantedFile) {
    file.channel = nil
    let time = device.random.oneIn(2) ? 0 : device.latency()
    world.after(time, on: device, "\(device.name): file \(id) is interrupted") { [self, daemon] in
      if daemon.isRunning, files[id] === file, file.channel == nil { handle(.file(.interrupted(id))) }
    }
  }

  // MARK: The end

  /// The call of a process has its reply.
  func replied(_ request: RequestID) { wishes[request] = nil }

  func drop() { (wishes, files) = ([:], [:]) }

  func judgeAtRest() {
    if !wishes.isEmpty { world.problem("requests for files without a reply on \(device.name)") }
    if !files.isEmpty { world.problem("files are left on \(device.name)") }
  }
}
