import SegueCore
import SegueEngine

// The service for files, where they come from: applications open them, and the daemon reads and sends them in pieces.

extension VirtualDaemon {
  func fileAsked(_ channel: ChannelID, _ asker: VirtualDevice, _ request: FileRequest) {
    askedFiles[channel] = asker
    handle(.link(.fileAsked(channel, asker.id, request)))
  }

  // MARK: The engine's requests

  func openFile(_ id: FileID, _ channel: ChannelID, _ request: FileRequest, _ session: SessionID) {
    guard let asker = askedFiles.removeValue(forKey: channel) else { return world.problem("a file on no channel") }
    guard let activity = world.activities[request.activity] else { return world.problem("a file of what never was") }
    guard let door = doors[session] else { return world.problem("a file of an application that has left") }
    world.judge(opened: request, for: asker, by: self)
    givenFiles[id] = VirtualGivenFile(channel, request, for: asker, of: activity)
    opening[id] = session
    door.toProcess("open \(request.url)") {
      switch door.process.openFile(activity.id, request.url) {
      case .success?: door.say(.openedFile(id, nil))
      case .failure(let error)?: door.say(.openedFile(id, error))
      case nil:
        // Some applications never answer, some answer too late.
        guard door.process.random.oneIn(2) else { return }
        door.process.after(2 * Limits.saveTime, "opens a file late") { door.say(.openedFile(id, nil)) }
      }
    }
  }

  /// Sends the head first, then the pieces that the other device does not have.
  func sendFile(_ id: FileID) {
    guard let file = givenFiles[id] else { return world.problem("a file is sent that nobody has opened") }
    let (channel, version) = (file.channel, file.activity.fileVersion)
    file.version = version
    let size = file.size
    file.next = file.request.version == version ? min(file.request.offset, size) : 0
    let offset = file.next
    giveFile(file, "the head") { $0.fileBegins(channel, version, size, at: offset) }
    readFile(id, file)
  }

  private func readFile(_ id: FileID, _ file: VirtualGivenFile) {
    // Sometimes the other device takes no more pieces.
    guard !device.random.oneIn(60) else { return }
    world.after(device.latency(), on: device, "\(device.name): reads for \(file.channel)") { [self] in
      guard isRunning, givenFiles[id] === file else { return }
      readNextOfFile(id, file)
    }
  }

  private func readNextOfFile(_ id: FileID, _ file: VirtualGivenFile) {
    let (channel, version, number) = (file.channel, file.version, file.next)
    guard file.activity.fileVersion == version else {
      endFile(id, .handoffFailed)
      return handle(.file(.ended(id)))
    }
    handle(.file(.sent(id)))
    guard isRunning, givenFiles[id] === file else { return }
    guard number < file.size else {
      giveFile(file, "the end") { $0.fileFinished(channel) }
      // The channel ends with the last piece.
      return endedFile(id)
    }
    file.next += 1
    giveFile(file, "piece \(number)") { $0.filePiece(channel, version, number) }
    readFile(id, file)
  }

  private func endedFile(_ id: FileID) {
    givenFiles[id] = nil
    handle(.file(.ended(id)))
  }

  private func giveFile(_ file: VirtualGivenFile, _ what: String, _ body: @escaping (VirtualDaemon) -> Void) {
    if !device.isPaired(file.asker) { world.problem("V14: a file is sent to a device that is not paired") }
    pass(file.asker, "\(what) of file \(file.channel)", body)
  }

  func refuseFile(_ channel: ChannelID, _ error: SegueError) {
    let id = givenFiles.first { $0.value.channel == channel }?.key
    let given = id.flatMap { givenFiles.removeValue(forKey: $0)?.asker }
    guard let asker = given ?? askedFiles.removeValue(forKey: channel) else {
      return world.problem("no channel to refuse a file on")
    }
    pass(asker, "file \(channel) is refused") { $0.fileRefused(channel, error) }
  }

  func endFile(_ id: FileID, _ code: SegueError.Code) {
    guard let file = givenFiles.removeValue(forKey: id) else {
      return world.problem("a file ends that is not on its way")
    }
    let channel = file.channel
    pass(file.asker, "file \(channel) is reset: \(code.name)") { $0.fileRefused(channel, SegueError(code)) }
  }

  // MARK: Ended waits

  func fileLeft(_ channel: ChannelID) {
    if let id = givenFiles.first(where: { $0.value.channel == channel })?.key {
      endedFile(id)
    } else if askedFiles.removeValue(forKey: channel) != nil {
      handle(.file(.abandoned(channel)))
    }
  }

  func loseGivenFiles(to peer: VirtualDevice) {
    let given = givenFiles.values.filter { $0.asker === peer }.map { $0.channel }
    let asked = askedFiles.filter { $0.value === peer }.keys
    for channel in (given + asked).sorted(by: { $0.value < $1.value }) { fileLeft(channel) }
  }

  /// The connection of a process has been lost, and with it the questions to the process, which are returned.
  func leaveFiles(_ door: VirtualDoor) -> [FileID] {
    let left = opening.filter { $0.value == door.session }.keys.sorted()
    for id in left {
      opening[id] = nil
      // That failure is reported before the process has left, or never.
      guard device.random.oneIn(2) else { continue }
      let error = SegueError(.connectionUnavailable, "The application has gone.")
      handle(.door(door.session, .openedFile(id, error)))
    }
    return left
  }
}
