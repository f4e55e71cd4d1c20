import SegueCore
import SegueEngine

// The service for files, where they are brought to: each link that a file takes has a channel for it.

extension VirtualDaemon {
  func file(_ effect: FileEffect) {
    switch effect {
    case .bring(let id, let request, let device): bringFile(id, request, device)
    case .drop(let id, let code): dropFile(id, code)
    case .tell(let session, let transfer, let done, let size): tellFile(session, transfer, done, size)
    case .open(let id, let channel, let request, let session): openFile(id, channel, request, session)
    case .send(let id): sendFile(id)
    case .refuse(let channel, let error): refuseFile(channel, error)
    case .end(let id, let code): endFile(id, code)
    }
  }

  /// The event by which the engine is told of a process's request.
  func wants(_ file: VirtualFile, _ request: RequestID) -> Event.DoorEvent {
    wishes[request] = file
    return .bringFile(continuation: file.continuation, url: file.url, transfer: file.number, request)
  }

  /// Whether the request has no reply yet, and its process is there.
  private func isWaiting(_ file: VirtualFile) -> Bool {
    doors[file.session] != nil && wishes.values.contains { $0 === file }
  }

  /// Calls the other end of a channel, unless the link is another one by now.
  func pass(_ peer: VirtualDevice, _ what: @autoclosure () -> String, _ body: @escaping (VirtualDaemon) -> Void) {
    guard let link = world.link(device, peer), link.isCurrent(self.link(to: peer)) else { return }
    link.send(from: device, what(), body)
  }

  // MARK: The engine's requests

  private func bringFile(_ id: FileID, _ request: FileRequest, _ origin: DeviceID) {
    guard let origin = world.device(origin) else { return world.problem("a file of no device") }
    if !device.isPaired(origin) { world.problem("V14: a device that is not paired is asked for a file") }
    guard let file = wantedFiles[id] ?? beginFile(id, request, origin), isWaiting(file.file) else {
      return world.problem("a file is asked for that nobody waits for")
    }
    let channel = ChannelID(value: world.newNumber())
    file.channel = channel
    guard link(to: origin) != nil else { return loseFile(id, file) }
    var request = request
    (request.offset, request.version) = (file.count, file.version)
    askForFile(origin, request, channel)
  }

  func askForFile(_ origin: VirtualDevice, _ request: FileRequest, _ channel: ChannelID) {
    let own = device
    pass(origin, "file \(channel)") { $0.fileAsked(channel, own, request) }
  }

  private func beginFile(_ id: FileID, _ request: FileRequest, _ origin: VirtualDevice) -> VirtualWantedFile? {
    let own = wishes.filter { _, file in
      !file.isAsked && file.continuation == request.continuation && file.url == request.url && isWaiting(file)
    }
    guard let file = own.min(by: { $0.key < $1.key })?.value else { return nil }
    file.isAsked = true
    let wanted = VirtualWantedFile(file, request, from: origin)
    wantedFiles[id] = wanted
    return wanted
  }

  private func dropFile(_ id: FileID, _ code: SegueError.Code) {
    guard let file = wantedFiles.removeValue(forKey: id) else {
      return world.problem("a file is dropped that is not on its way")
    }
    guard let channel = file.channel else { return }
    pass(file.origin, "file \(channel) is reset: \(code.name)") { $0.fileLeft(channel) }
  }

  private func tellFile(_ session: SessionID, _ transfer: UInt64, _ done: UInt64, _ size: UInt64) {
    guard let door = doors[session],
      let file = wishes.values.first(where: { $0.session == session && $0.number == transfer })
    else { return world.problem("an application is told of a file that has ended") }
    if !device.isPaired(file.activity.device) { world.problem("V14: a file comes of a device that is not paired") }
    door.toProcess("\(done) of \(size) of file \(transfer)") { file.told(done, of: size) }
  }

  // MARK: Messages over the link

  private func wantedFile(_ channel: ChannelID) -> (FileID, VirtualWantedFile)? {
    wantedFiles.first { $0.value.channel == channel }.map { ($0.key, $0.value) }
  }

  /// The other device agrees: the file goes on, or begins anew with another version.
  func fileBegins(_ channel: ChannelID, _ version: [UInt8], _ size: UInt64, at offset: UInt64) {
    guard let (id, file) = wantedFile(channel) else { return }
    guard !device.store.isFull else { return failFile(id, SegueError(.limitExceeded, "There is no room.")) }
    if file.version == version, file.count == offset {
      if offset > 0 { file.file.isResumed = true }
    } else {
      if offset != 0 { world.problem("a file goes on where nothing of it is") }
      if !file.version.isEmpty {
        guard file.restarts < Limits.fileRestarts else {
          return failFile(id, SegueError(.handoffFailed, "It changes."))
        }
        file.restarts += 1
        file.file.isRenewed = true
      }
      (file.version, file.size, file.count) = (version, size, 0)
    }
    handle(.file(.progressed(id, done: file.count, of: file.size)))
  }

  func filePiece(_ channel: ChannelID, _ version: [UInt8], _ number: UInt64) {
    guard let (id, file) = wantedFile(channel) else { return }
    if file.version != version || file.count != number {
      world.problem("a file gets \(number) in place of \(file.count)")
    }
    file.count += 1
    handle(.file(.progressed(id, done: file.count, of: file.size)))
  }

  /// All pieces have come. While they are being written, it does not matter what becomes of the link.
  func fileFinished(_ channel: ChannelID) {
    guard let (id, file) = wantedFile(channel) else { return }
    file.channel = nil
    world.after(device.latency(), on: device, "\(device.name): \(channel) is written") { [self] in
      guard isRunning, wantedFiles[id] === file else { return }
      wantedFiles[id] = nil
      let brought = BroughtFile(path: file.file.path, size: file.count, digest: file.version)
      handle(.file(.brought(id, brought)))
    }
  }

  func fileRefused(_ channel: ChannelID, _ error: SegueError) {
    guard let (id, file) = wantedFile(channel) else { return }
    file.channel = nil
    failFile(id, SegueError(ofFileToldByOther: error.code, words: error.message))
  }

  private func failFile(_ id: FileID, _ error: SegueError) {
    handle(.file(.failed(id, error)))
    if isRunning, wantedFiles[id] != nil { world.problem("a file that has failed goes on") }
  }

  func loseWantedFiles(from peer: VirtualDevice) {
    for (id, file) in wantedFiles.sorted(by: { $0.key < $1.key }) where file.origin === peer && file.channel != nil {
      loseFile(id, file)
    }
  }

  /// The loss is reported when the pieces that have come are written: at once, or when there may be another link.
  private func loseFile(_ id: FileID, _ file: VirtualWantedFile) {
    file.channel = nil
    let time = device.random.oneIn(2) ? 0 : device.latency()
    world.after(time, on: device, "\(device.name): file \(id) is interrupted") { [self] in
      if isRunning, wantedFiles[id] === file, file.channel == nil { handle(.file(.interrupted(id))) }
    }
  }

  // MARK: The verdict

  func judgeFilesAtRest() {
    let name = device.name
    if !wishes.isEmpty { world.problem("requests for files without a reply on \(name)") }
    if !wantedFiles.isEmpty || !givenFiles.isEmpty || !askedFiles.isEmpty { world.problem("files are left on \(name)") }
    if hasFiles == opening.isEmpty {
      world.problem("\(name) counts files wrongly: \(opening.keys.sorted()) are asked for")
    }
  }
}
