import SegueBus
import SegueControl
import SegueCore

/// The sessions of this device that answer, with their descriptions.
struct RunningSessions {
  struct Running {
    let name: String
    let description: SessionDescription

    /// As `segue-shell list` has it.
    var line: String {
      let name = description.label.isEmpty ? name : "\(name) \(description.label)"
      let viewers =
        description.viewers.isEmpty ? "detached" : "attached: " + description.viewers.joined(separator: ", ")
      let shared = description.isShared ? "\tshared" : ""
      return "\(name)\t\(description.program)\t\(description.folder)\t\(viewers)\(shared)\n"
    }
  }

  let sessions: [Running]
  private let folder: SessionFolder

  init(_ folder: SessionFolder) {
    self.folder = folder
    sessions = folder.names.compactMap { name in
      // A session that was killed has left its socket.
      Self.say(.asks(version: ViewerMessage.version), to: name, folder).map { Running(name: name, description: $0) }
    }
  }

  var lines: [String] { sessions.map(\.line) }

  /// The session of that number or name; empty: the only one. Nil where that may be another device's.
  func named(_ name: String) throws(SegueError) -> Running? {
    guard !name.isEmpty else {
      guard sessions.count == 1 else { throw none("") }
      return sessions[0]
    }
    if let session = sessions.first(where: { $0.name.isSame(as: name) || $0.description.label.isSame(as: name) }) {
      return session
    }
    if SessionFolder.isName(name) { throw none(name) }
    return nil
  }

  func none(_ name: String) -> SegueError {
    if sessions.isEmpty { return SegueError(.notFound, "There is no session.", advice: "Start one: segue-shell") }
    return SegueError(
      .notFound,
      name.isEmpty ? "There are \(sessions.count) sessions." : "There is no session \(ShellNames.clean(name)).",
      advice: "segue-shell list shows them.")
  }

  /// The session's answer; nil where it hangs.
  func say(_ message: ViewerMessage, to name: String) -> SessionDescription? { Self.say(message, to: name, folder) }

  private static func say(_ message: ViewerMessage, to name: String, _ folder: SessionFolder) -> SessionDescription? {
    guard let socket = folder.connect(to: name), let loop = try? EventLoop(),
      let channel = try? FrameChannel(loop, socket: socket)
    else { return nil }
    var answer: SessionDescription?
    var isOver = false
    channel.received = { frame throws(ProtocolFailure) in
      if case .description(let description) = try SessionMessage(frame) { answer = description }
    }
    channel.ended = { _ in isOver = true }
    channel.send(message.frame)
    loop.timer(after: Limits.shellAskTime) { isOver = true }
    while !isOver, answer == nil { loop.wait(milliseconds: -1) }
    channel.close()
    return answer
  }
}

/// The sessions that other devices offer: of each device, the one that was used last. It asks the daemon, if that runs.
struct RemoteSessions {
  private let offers: [OfferRow]

  init() { offers = DaemonQuery.offers }

  var lines: [String] {
    offers.map { "\(ShellNames.clean($0.deviceName)):\t\(DisplayText.clean($0.title ?? ""))\ton offer\n" }
  }

  /// The paired device that is called so, or whose id begins so: its name, as its offers have it.
  func device(_ name: String) throws(SegueError) -> String {
    guard let devices: [DeviceRow] = DaemonQuery.answer(.listDevices) else {
      throw SegueError(
        .notFound, "There is no session \(DisplayText.quoted(name)), and no daemon that knows other devices.",
        advice: "segue-shell list shows the sessions; segue status says whether segued runs.")
    }
    let found = IDStart.devices(name, among: devices, name: \.name, id: \.id)
    guard let device = found.first else {
      throw SegueError(
        .notFound, "There is no session and no paired device called \(DisplayText.quoted(name)).",
        advice: "segue-shell list shows the sessions, segue devices the devices.")
    }
    guard found.count == 1 else {
      throw SegueError(
        .invalidArgument, "\(found.count) devices are called \(DisplayText.quoted(name)).",
        advice: "Give the start of the id of one: segue devices --json")
    }
    let offer = offers.first { $0.deviceID == device.id }
    if offer == nil, !device.isOnline {
      throw SegueError(
        .connectionUnavailable, "\(DisplayText.quoted(device.name)) is not online.",
        advice: device.hint ?? "Check that it is on and in the same network.")
    }
    return ShellNames.clean(offer?.deviceName ?? Self.name(of: device, among: devices))
  }

  /// With the start of its id, where another device is called so too.
  private static func name(of device: DeviceRow, among devices: [DeviceRow]) -> String {
    let own: DaemonStatus? = DaemonQuery.answer(.getStatus)
    let isShared = own?.deviceName == device.name || devices.contains { $0.id != device.id && $0.name == device.name }
    guard isShared, let id = DeviceID(recorded: device.id) else { return device.name }
    return "\(device.name) (\(id.short))"
  }
}
