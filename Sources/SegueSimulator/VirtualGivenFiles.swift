import SegueCore
import SegueEngine

/// The service for files, where they are from: opened by their applications, and read and sent in pieces.
final class VirtualGivenFiles {
  /// The devices that have asked for a file which is not open yet, by channel.
  private var askers: [ChannelID: VirtualDevice] = [:]
  private var files: [FileID: VirtualGivenFile] = [:]
  /// The files that applications were asked to open, without an answer yet.
  private var opening: [FileID: SessionID] = [:]
  private unowned let daemon: VirtualDaemon

  init(of daemon: VirtualDaemon) { self.daemon = daemon }

  private var device: VirtualDevice { daemon.device }
  private var world: Simulation { daemon.world }
  private func handle(_ event: Event) { daemon.handle(event) }

  func asked(_ channel: ChannelID, _ asker: VirtualDevice, _ request: FileRequest) {
    askers[channel] = asker
    handle(.link(.fileAsked(channel, asker.id, request)))
  }

  // MARK: The engine's requests

  func open(_ id: FileID, _ channel: ChannelID, _ request: FileRequest, _ session: SessionID) {
    guard let asker = askers.removeValue(forKey: channel) else { return world.problem("a file on no channel") }
    guard let activity = world.activities[request.activity] else { return world.problem("a file of what never was") }
    guard let door = daemon.doors[session] else { return world.problem("a file of an application that has left") }
    world.judge(opened: request, for: asker, by: daemon)
    files[id] = VirtualGivenFile(channel, request, for: asker, of: activity)
    opening[id] = session
    door.toProcess("open \(request.url)") {
      switch door.process.openFile(activity.id, request.url) {
      case .success?: door.say(.openedFile(id, nil))
      case .failure(let error)?: door.say(.openedFile(id, error))
      case nil:
        // Some never do, some too late.
        guard door.process.random.oneIn(2) else { return }
        door.process.after(2 * Limits.saveTime, "opens a file late") { door.say(.openedFile(id, nil)) }
      }
    }
  }

  /// First the head, then what the other device does not have.
  func send(_ id: FileID) {
    guard let file = files[id] else { return world.problem("a file is sent that nobody has opened") }
    let (channel, version) = (file.channel, file.activity.fileVersion)
    file.version = version
    let size = file.size
    file.next = file.request.version == version ? min(file.request.offset, size) : 0
    let offset = file.next
    give(file, "the head") { $0.begins(channel, version, size, at: offset) }
    read(id, file)
  }

  private func read(_ id: FileID, _ file: VirtualGivenFile) {
    // Sometimes the other device takes no more of it.
    guard !device.random.oneIn(60) else { return }
    world.after(device.latency(), on: device, "\(device.name): reads for \(file.channel)") { [self, daemon] in
      guard daemon.isRunning, files[id] === file else { return }
      readNext(id, file)
    }
  }

  private func readNext(_ id: FileID, _ file: VirtualGivenFile) {
    let (channel, version, number) = (file.channel, file.version, file.next)
    guard file.activity.fileVersion == version else {
      end(id, .handoffFailed)
      return handle(.file(.ended(id)))
    }
    handle(.file(.sent(id, done: UInt64(number), of: UInt64(file.size))))
    guard daemon.isRunning, files[id] === file else { return }
    guard number < file.size else {
      give(file, "the end") { $0.finished(channel) }
      // The channel ends with what leaves last.
      return ended(id)
    }
    file.next += 1
    give(file, "piece \(number)") { $0.piece(channel, version, number) }
    read(id, file)
  }

  private func ended(_ id: FileID) {
    files[id] = nil
    handle(.file(.ended(id)))
  }

  private func give(_ file: VirtualGivenFile, _ what: String, _ body: @escaping (VirtualWantedFiles) -> Void) {
    if !device.isPaired(file.asker) { world.problem("V14: a file is sent to a device that is not paired") }
    daemon.pass(file.asker, "\(what) of file \(file.channel)") { body($0.wantedFiles) }
  }

  func refuse(_ channel: ChannelID, _ error: SegueError) {
    let id = files.first { $0.value.channel == channel }?.key
    let given = id.flatMap { files.removeValue(forKey: $0)?.asker }
    guard let asker = given ?? askers.removeValue(forKey: channel) else {
      return world.problem("no channel to refuse a file on")
    }
    daemon.pass(asker, "file \(channel) is refused") { $0.wantedFiles.refused(channel, error) }
  }

  func end(_ id: FileID, _ code: SegueError.Code) {
    guard let file = files.removeValue(forKey: id) else {
      return world.problem("a file ends that is not on its way")
    }
    let channel = file.channel
    daemon.pass(file.asker, "file \(channel) is reset: \(code.name)") {
      $0.wantedFiles.refused(channel, SegueError(code))
    }
  }

  // MARK: Ended waits

  func left(_ channel: ChannelID) {
    if let id = files.first(where: { $0.value.channel == channel })?.key {
      ended(id)
    } else if askers.removeValue(forKey: channel) != nil {
      handle(.file(.abandoned(channel)))
    }
  }

  func lose(to peer: VirtualDevice) {
    let given = files.values.filter { $0.asker === peer }.map { $0.channel }
    let asking = askers.filter { $0.value === peer }.keys
    for channel in (given + asking).sorted(by: { $0.value < $1.value }) { left(channel) }
  }

  /// The connection of a process has gone, and with it the requests to it, which are returned.
  func leave(_ door: VirtualDoor) -> [FileID] {
    let left = opening.filter { $0.value == door.session }.keys.sorted()
    for id in left {
      opening[id] = nil
      // That is told before the process has left, or never.
      guard device.random.oneIn(2) else { continue }
      let error = SegueError(.connectionUnavailable, "The application has gone.")
      handle(.door(door.session, .openedFile(id, error)))
    }
    return left
  }

  /// A process has answered whether it opens one.
  func opened(_ id: FileID) { opening[id] = nil }

  func isGiven(_ id: FileID) -> Bool { files[id] != nil }

  func drop() { (askers, files, opening) = ([:], [:], [:]) }

  func judgeAtRest() {
    if !files.isEmpty || !askers.isEmpty { world.problem("files are left on \(device.name)") }
    if daemon.hasFiles == opening.isEmpty {
      world.problem("\(device.name) counts files wrongly: \(opening.keys.sorted()) are asked for")
    }
  }
}
