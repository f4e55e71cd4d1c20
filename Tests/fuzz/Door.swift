// The private door, as applications reach it. By the first byte: bytes on its socket; or calls of its methods, and
// answers to what the daemon asks, in an order that the input chooses.

import Glibc
import Logging
import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import SegueState

@testable import SegueDaemon

func fuzzDoor(_ input: [UInt8]) {
  var bytes = Bytes(input)
  let host = DoorHost.shared
  let world = DoorWorld(host)
  host.world = world
  if bytes.bool() { world.calls(&bytes) } else { world.stream(&bytes) }
  // The daemon reads the last message, too: a call that does not reach the engine has no reply.
  host.settle()
  world.wait()
  host.world = nil
  host.settle()
  check(host.door.controls.isEmpty, "somebody is still at the door")
}

/// The door, which serves all inputs.
private final class DoorHost {
  nonisolated(unsafe) static let shared = DoorHost()
  let loop: EventLoop
  let door: DoorService
  let registry: Registry
  let files: FileService
  /// The streams over a link that is not started and so reaches no device.
  let streams: StreamService
  let transfers: FileTransferService
  let socket: String
  var world: DoorWorld?

  private init() {
    let path = Scratch.shared.path
    for folder in ["/data", "/data/applications"] { mkdir(path + folder, 0o755) }
    Scratch.shared.write(
      "data/applications/com.example.A.desktop",
      Array(
        "[Desktop Entry]\nType=Application\nName=A\nExec=/bin/true\nX-Segue-ActivityTypes=com.example.reading;\n".utf8))
    let log = Log(Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
    var tell: (Event) -> Void = { _ in }
    do throws(SegueError) {
      loop = try EventLoop()
      registry = try Registry(
        RegistrySettings(directories: [.init(path: path + "/data", isSystem: false)])
      ) { _ in }
      let containers = try Containers(ContainerSettings { $0 == "HOME" ? path : nil }) { _ in }
      files = FileService(containers, time: 1, loop: loop, log: log) { [registry] in
        (registry.application($0)?.documentTypes[$1], registry.application($0)?.viewerTypes[$1])
      }
      door = DoorService(folder: path + "/door", registry: registry, loop: loop, log: log) { tell($0) }
      let state = try StateFolder(path + "/state")
      let link = LinkService(
        identity: try Identity.loadOrCreate(in: state), name: "lap", folder: state,
        pins: Written(try PinStore(folder: state), DiskWriter(loop)), loop: loop, log: log)
      streams = StreamService(link: link, door: door, loop: loop) { tell($0) }
      transfers = FileTransferService(
        FileCache(path + "/cache"), link: link, door: door, loop: loop, tell: { tell($0) })
      try door.open()
      socket = path + "/door/" + DoorProtocol.socketName
    } catch {
      fatalError("\(error.message)")
    }
    tell = { [unowned self] in world?.runner.handle($0) }
    door.makeObject = { [unowned self] session in
      guard let world else { return BusObject([]) }
      return DoorObject(
        door: door, session: session, files: files, streams: streams, replies: world.replies,
        tell: { [unowned self] in self.world?.runner.handle($0) }
      ).object()
    }
  }

  /// Dispatches until nothing is under way any more.
  func settle() {
    var quiet = 0
    for _ in 0..<500 where quiet < 3 { quiet = loop.dispatch() == 0 ? quiet + 1 : 0 }
  }
}

/// Time, which passes only where a world says so.
private final class DoorClock {
  var now = Moment(instant: 100_000, seconds: 1_700_000_000, microseconds: 0)
}

/// The engine behind the door, and the clients that come to it.
private final class DoorWorld {
  let runner: EngineRunner
  let replies = Replies()
  private let clock = DoorClock()
  private let host: DoorHost
  private var tickets: [String] = []
  private var fetches: [FetchID] = []
  private var questions: [Invocation] = []
  private let device = DeviceID(hash: [UInt8](repeating: 2, count: 32), check: [2, 2, 2, 2])
  private let type = ActivityType("com.example.reading")

  init(_ host: DoorHost) {
    self.host = host
    var count: UInt64 = 1_000
    let settings = EngineSettings(
      device: DeviceID(hash: [UInt8](repeating: 1, count: 32), check: [1, 1, 1, 1]), deviceName: "lap", boot: "boot",
      makeIdentifier: {
        count += 1
        return Identifier(high: 0, low: count)
      })
    runner = EngineRunner(Engine(settings, at: clock.now)) { [clock] in clock.now }
    runner.perform = { [unowned self] in perform($0) }
    runner.handle(.applications(host.registry.index))
    runner.handle(.paired([Event.PairedName(device: device, name: "desk")]))
    runner.handle(.loaded([]))
    runner.handle(.canLaunch)
    runner.handle(.link(.up(device, name: "desk")))
    guard let type, let app = AppID("com.example.A") else { return }
    let offer = Offer(id: Identifier(high: 0, low: 1), revision: 1, type: type, appID: app, title: "A page")
    runner.handle(.link(.message(device, .offers(sequence: 1, [offer]))))
  }

  /// Lets an hour pass, after which each call has its reply.
  func wait() {
    clock.now.instant = clock.now.instant + 3_600_000
    runner.handle(.time)
    host.settle()
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .reply(let request, let reply): replies.reply(request, reply, host.streams.pair(with: reply))
    case .askSave(let id, let activity, let request, let session): host.door.askSave(id, activity, request, session)
    case .endSave(let id): host.door.endSave(id)
    case .tellContinued(let session, let notice): host.door.tellContinued(session, notice)
    case .tellOffers(let session, let offers): host.door.tellOffers(session, offers)
    case .stream(let effect): host.streams.perform(effect)
    case .file(let effect): host.transfers.perform(effect)
    case .launch(let launch): tickets.append(launch.ticket.hex)
    case .fetch(let id, _, _): fetches.append(id)
    case .localize(let id, let snapshot): runner.handle(.localized(continuation: id, .success(snapshot)))
    case .store(let id, let request):
      switch request {
      case .put(let copy, let snapshot):
        runner.handle(.stored(id, .success(.put(copy.stored(with: snapshot, at: 1_700_000_000, life: 60), gone: []))))
      case .snapshot: runner.handle(.stored(id, .success(.snapshot(nil))))
      case .remove(let keys): runner.handle(.stored(id, .success(.removed(keys))))
      case .setLife: runner.handle(.stored(id, .success(.lives([]))))
      case .expire: runner.handle(.stored(id, .success(.expired([]))))
      }
    default: break
    }
  }

  private func token() -> String {
    do throws(SegueError) { return try host.door.key().token } catch {
      fatalError(error.message)
    }
  }

  // MARK: Bytes

  /// Sends the handshake that every client sends first, unless the input skips it, and then the input's bytes.
  func stream(_ bytes: inout Bytes) {
    let file = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(host.socket.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    check(connected == 0, "the door is closed: \(errno)")
    if bytes.bool() {
      let uid = "\(getuid())".utf8.map { String($0, radix: 16) }.joined()
      send(Array("\0AUTH EXTERNAL \(uid)\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".utf8), file)
    }
    while !bytes.isEmpty {
      send(bytes.bytes(), file)
      host.settle()
    }
  }

  private func send(_ bytes: [UInt8], _ file: Int32) {
    _ = bytes.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  // MARK: Calls

  private static let methods: [(name: MemberName, signature: [String])] = [
    (MemberName(constant: "Hello"), ["u", "u", "s", "a{sv}"]), (MemberName(constant: "Register"), ["s", "a{sv}"]),
    (MemberName(constant: "SetCurrent"), ["a{sv}"]), (MemberName(constant: "Resign"), ["s"]),
    (MemberName(constant: "SetExpiry"), ["s", "a{sv}"]), (MemberName(constant: "Invalidate"), ["s"]),
    (MemberName(constant: "DeleteSaved"), ["as", "b"]), (MemberName(constant: "FindDocument"), ["s", "s"]),
    (MemberName(constant: "FollowOffers"), []), (MemberName(constant: "Continue"), ["s", "s", "a{sv}"]),
    (MemberName(constant: "Begin"), ["s", "a{sv}"]), (MemberName(constant: "Announced"), ["s", "b"]),
    (MemberName(constant: "Claim"), ["s"]), (MemberName(constant: "Finish"), ["s", "b"]),
  ]

  func calls(_ bytes: inout Bytes) {
    let client: Connection
    do throws(SegueError) {
      client = try Connection.open(address: "unix:path=" + host.socket, on: host.loop)
    } catch {
      fatalError(error.message)
    }
    defer {
      questions = []
      client.close()
    }
    client.export(application(), at: SegueAddress.doorApplicationPath)
    if bytes.bool() {
      call(client, 0, [.uint32(1), .uint32(1), .string(token()), .dictionary([:])])
      call(client, 1, [.string("com.example.A"), .dictionary([:])])
      host.settle()
    }
    var count = 0
    while !bytes.isEmpty, client.isOpen, count < 100 {
      count += 1
      switch bytes.below(8) {
      case 0: answer(&bytes)
      case 1:
        guard let fetch = fetches.popLast(), let type else { continue }
        let snapshot = Snapshot(
          id: Identifier(high: 0, low: 1), revision: 1, type: type, title: busText(&bytes),
          userInfo: [UInt8](repeating: 0xA0, count: 1 + Int(truncatingIfNeeded: bytes.number() % 100_000)))
        runner.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
      case 2: host.settle()
      case 3: call(client, bytes.below(Self.methods.count), (0..<bytes.below(4)).map { _ in value(&bytes) })
      default:
        let method = bytes.below(Self.methods.count)
        call(client, method, Self.methods[method].signature.map { argument($0, &bytes) })
      }
    }
    host.settle()
  }

  private func value(_ bytes: inout Bytes) -> BusValue { busValue(&bytes, depth: 0, spare: spare) }

  private var spare: [String] { tickets + [token(), device.description] }

  private func argument(_ signature: String, _ bytes: inout Bytes) -> BusValue {
    switch signature {
    case "s": .string(busText(&bytes, spare))
    case "u": .uint32(UInt32(truncatingIfNeeded: bytes.number()))
    case "b": .bool(bytes.bool())
    case "as": .strings((0..<bytes.below(4)).map { _ in busText(&bytes) })
    default: .dictionary(dictionary(&bytes))
    }
  }

  /// A dictionary of what the input says, perhaps with an activity or a snapshot in it.
  private func dictionary(_ bytes: inout Bytes) -> BusDictionary {
    var dictionary = busDictionary(&bytes, depth: 0, spare: spare)
    guard bytes.bool() else { return dictionary }
    dictionary["id"] = .string(Identifier(high: 0, low: UInt64(bytes.below(3))).hex)
    dictionary["type"] = .string("com.example.reading")
    guard bytes.bool() else { return dictionary }
    let memory = try? SealedMemory.make([0xA0] + bytes.bytes())
    dictionary["user-info"] = bytes.bool() ? .bytes([0xA0]) : memory.map { .descriptor($0) } ?? .bytes([])
    return dictionary
  }

  private func call(_ client: Connection, _ method: Int, _ values: [BusValue]) {
    let message = Message.call(
      destination: nil, path: SegueAddress.doorPath, interface: SegueAddress.doorInterface,
      member: Self.methods[method].name)
    // A value that no bus can carry does not leave the client.
    guard (try? message.append(values)) != nil else { return }
    client.call(message, timeout: .max) { _ in }
  }

  private func answer(_ bytes: inout Bytes) {
    guard !questions.isEmpty else { return }
    let question = questions.removeFirst()
    switch bytes.below(3) {
    case 0: question.fail(SegueError(bytes.one(of: SegueError.Code.all), busText(&bytes), advice: busText(&bytes)))
    default: question.reply([.dictionary(dictionary(&bytes))])
    }
    host.settle()
  }

  /// The application's object, on which the daemon asks for a save.
  private func application() -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.doorApplicationInterface,
        methods: [
          BusMethod(
            "Save", in: [BusArgument("activity", "s"), BusArgument("request", "a{sv}")],
            out: [BusArgument("snapshot", "a{sv}")]
          ) { [unowned self] _, invocation in questions.append(invocation) }
        ])
    ])
  }
}
