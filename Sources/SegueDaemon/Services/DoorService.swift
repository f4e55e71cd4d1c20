import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The private door: its socket, in a directory that only the user can reach; the sessions that connect there; and the
/// calls to applications. DoorObject.swift turns the applications' calls into events for the engine.
final class DoorService {
  private let place: String?
  private let loop: EventLoop
  private let log: Log
  private let registry: Registry
  private let tell: (Event) -> Void
  /// These make the objects of a session: the door's for an application, the control interface's for a user interface.
  var makeObject: (Session) -> BusObject = { _ in BusObject([]) }
  var makeControl: (Session) -> BusObject = { _ in BusObject([]) }

  /// Are called when an application has registered, with its process, and when its session has ended.
  var registered: (SessionID, AppID, Int32) -> Void = { _, _, _ in }
  var left: (SessionID) -> Void = { _ in }

  private var server: PeerServer?
  private var folder: DoorFolder?
  private var tokens = DoorTokens()
  private var sessions: [SessionID: Session] = [:]
  private var sessionCount: SessionID = 0
  var slots = DoorSlots()
  /// Recognises the processes that come.
  var identity = CallerIdentity()
  /// How long a client may take after connecting to say Hello, and to register where only applications stay.
  var patience = Limits.handshakeTime
  /// Connections that got no session, until they have been notified or their time is over.
  private var turnedAway: [(connection: Connection, process: Int32?, timer: LoopTimer)] = []
  /// The requests to applications for an activity's state that have not been answered.
  private var saves: [SaveID: PendingReply] = [:]
  private(set) var refusals = Refusals()

  /// `folder`: where the socket is; nil for a fresh folder. `tell` gets the events of the sessions.
  init(
    folder: String?, registry: Registry, loop: EventLoop, log: Log, tell: @escaping (Event) -> Void
  ) {
    place = folder
    self.registry = registry
    self.loop = loop
    self.log = log
    self.tell = tell
  }

  // MARK: The socket

  /// Throws `nameTaken` if another daemon has the folder.
  func open() throws(SegueError) {
    let folder = try DoorFolder(place)
    self.folder = folder
    server = try PeerServer(
      path: folder.path + "/" + DoorProtocol.socketName, on: loop, firstMessage: Limits.doorMessageBeforeHello
    ) { [self] in enter($0) }
  }

  func close() {
    for refusal in turnedAway { forget(refused: refusal.connection) }
    for session in sessions.values {
      session.connection.setDisconnected(nil)
      session.connection.close()
    }
    sessions = [:]
    server?.close()
    server = nil
    folder?.remove(socket: DoorProtocol.socketName)
    folder = nil
  }

  /// The reply to OpenDoor: a descriptor that stands for the socket, and a token that is good once.
  func key() throws(SegueError) -> (socket: FileDescriptor, token: String) {
    guard let folder else { throw SegueError(.system, "The private door is not there.") }
    return (try folder.descriptor(of: DoorProtocol.socketName), tokens.make(now: .now))
  }

  /// The applications whose process is the session's, or has started it.
  func applications(above session: Session) -> Set<AppID> {
    guard case .host(let process) = session.caller else { return [] }
    let line = [process.pid] + ProcessFolder.ancestors(of: process.pid)
    return Set(
      sessions.values.compactMap { other in
        guard case .host(let process) = other.caller, line.contains(process.pid) else { return nil }
        return other.application?.appID
      })
  }

  // MARK: Arrivals

  private func enter(_ connection: Connection) {
    let caller: CallerIdentity.Verdict
    let holder: DoorSlots.Holder
    do throws(SegueError) {
      guard let peer = connection.credentialsOfPeer(), let accepted = connection.accepted else {
        throw SegueError(.accessDenied, "The caller is not known.")
      }
      (caller, holder) = try identity.holder(pid: peer.pid, uid: peer.uid, connected: accepted)
    } catch {
      return refuse(connection, error)
    }
    sessionCount += 1
    let session = Session(number: sessionCount, connection: connection, caller: caller)
    switch slots.take(session.number, of: holder) {
    case .refused(let error): return refuse(connection, error)
    case .admitted(let leaving, let mustRegister):
      session.mustRegister = mustRegister
      if let other = leaving.flatMap({ sessions[$0] }) {
        log.notice("the door is full, and who has most connections there lost one", cause: "door")
        leave(other)
      }
    }
    sessions[session.number] = session
    connection.export(makeObject(session), at: SegueAddress.doorPath)
    if caller.mayControl {
      let control = makeControl(session)
      session.control = control
      connection.export(control, at: SegueAddress.controlPath)
    }
    connection.setDisconnected { [self] in leave(session) }
    // A process that does not say hello in time does not speak this protocol.
    session.greeting = loop.timer(after: patience) { [self] in leave(session) }
  }

  /// The answer to its Hello says why: there is no room, or the process cannot be recognised.
  private func refuse(_ connection: Connection, _ error: SegueError) {
    log.notice("refused at the door: \(error.message)", cause: "door")
    let process = connection.credentialsOfPeer()?.pid
    if turnedAway.count >= Limits.doorRefusals,
      // A process that comes again and again takes its own places.
      let oldest = turnedAway.first(where: { $0.process == process }) ?? turnedAway.first
    {
      forget(refused: oldest.connection)
    }
    let timer = loop.timer(after: patience) { [self] in forget(refused: connection) }
    turnedAway.append((connection, process, timer))
    connection.setDisconnected { [self] in forget(refused: connection) }
    connection.export(DoorObject.refusing(error), at: SegueAddress.doorPath)
  }

  private func forget(refused connection: Connection) {
    for refusal in turnedAway where refusal.connection === connection { refusal.timer.cancel() }
    turnedAway.removeAll { $0.connection === connection }
    connection.close()
  }

  private func leave(_ session: Session) {
    slots.leave(session.number)
    guard sessions.removeValue(forKey: session.number) != nil else { return }
    session.greeting?.cancel()
    // It holds the session too.
    session.control = nil
    session.connection.close()
    tell(.pairing(.left(.session(session.number))))
    guard session.application != nil else { return }
    tell(.door(session.number, .left))
    left(session.number)
  }

  /// Whether the token that a session showed is valid. If so, the session may call from now on.
  func greet(_ session: Session, token: String) -> Bool {
    defer { session.hasSaidHello = true }
    guard !session.hasSaidHello, tokens.use(token, now: .now) else {
      log.notice("a token at the door was wrong, old, or used before", cause: "door")
      return false
    }
    return true
  }

  func welcome(_ session: Session) {
    session.isGreeted = true
    if !session.mustRegister { session.greeting?.cancel() }
    session.connection.limitMessages(bytes: Limits.doorMessageLength, descriptors: Limits.descriptorsPerMessage)
  }

  /// Registers a session as an application. Throws if the caller is not the application that it says it is.
  func register(_ session: Session, as id: AppID) throws(SegueError) -> RegisteredCaller {
    refusals.forget(id)
    do throws(SegueError) {
      let application = try registry.registration(of: session.caller, as: id)
      session.application = application
      slots.register(session.number)
      session.greeting?.cancel()
      // An application does not get the control signals. Otherwise every change of an offer would wake all of them.
      session.control = nil
      if case .host(let process) = session.caller { registered(session.number, id, process.pid) }
      return application
    } catch {
      log.notice("\(id.string) was refused: \(error.message)", cause: "register")
      refusals.note(error, of: id)
      throw error
    }
  }

  /// The control objects at the door.
  var controls: [BusObject] { sessions.values.compactMap { $0.control } }

  // MARK: Requests and messages to applications

  private static func call(_ member: StaticString) -> Message {
    Message.call(
      destination: nil, path: SegueAddress.doorApplicationPath, interface: SegueAddress.doorApplicationInterface,
      member: MemberName(constant: member))
  }

  /// The connection of a session; nil if it has ended.
  func connection(of number: SessionID) -> Connection? { sessions[number]?.connection }

  func askSave(_ id: SaveID, _ activity: Identifier, _ request: DoorSaveRequest, _ number: SessionID) {
    guard let session = sessions[number] else {
      let gone = SegueError(.connectionUnavailable, "The application is gone.")
      return tell(.door(number, .saved(id, .failure(gone))))
    }
    let call = Self.call("Save")
    try? call.append([.string(activity.hex), .dictionary(request.dictionary)])
    saves[id] = session.connection.call(call, timeout: .max) { [self] result in
      saves[id] = nil
      do throws(SegueError) {
        let answer = try result.get().arguments().first?.asDictionary ?? BusDictionary()
        tell(.door(number, .saved(id, .success(try DoorSnapshot.decode(answer)))))
      } catch {
        tell(.door(number, .saved(id, .failure(error))))
      }
    }
  }

  /// Cancels a request whose answer is no longer needed. A late answer is dropped, so that it is not taken for the
  /// next one's.
  func endSave(_ id: SaveID) { saves.removeValue(forKey: id)?.cancel() }

  /// Without a time limit, since the application is not told by another call.
  func tellContinued(_ number: SessionID, _ notice: ContinuedNotice) {
    let call = Self.call("WasContinued")
    try? call.append([
      .string(notice.activity.hex),
      .dictionary(CallOptions(inBrowser: notice.inBrowser, continuation: notice.continuation).dictionary),
    ])
    sessions[number]?.connection.call(call, timeout: .max) { [self] result in
      var error: SegueError?
      if case .failure(let failure) = result { error = failure }
      tell(.door(number, .heardContinued(continuation: notice.continuation, error)))
    }
  }

  /// Without a time limit: until the application has answered, no other list is sent to it.
  func tellOffers(_ number: SessionID, _ offers: [ListedOffer]) {
    let call = Self.call("OffersChanged")
    do throws(SegueError) {
      try call.append([DoorOffers.encode(offers, now: .now)])
    } catch {
      log.warning("offers could not be encoded: \(error.message)", cause: "follow")
      return tell(.door(number, .heardOffers))
    }
    sessions[number]?.connection.call(call, timeout: .max) { [self] _ in tell(.door(number, .heardOffers)) }
  }

  /// Brings the application its pair of a stream. Without a time limit: the engine's counts, and a pair that nobody has
  /// taken is not forgotten with it.
  func acceptStream(_ id: StreamID, _ activity: Identifier, _ pair: StreamDescriptors, _ number: SessionID) {
    let answer: (SegueError?) -> Void = { [tell] in tell(.door(number, .acceptedStream(id, $0))) }
    guard let session = sessions[number] else {
      return answer(SegueError(.connectionUnavailable, "The application is gone."))
    }
    let call = Self.call("AcceptStream")
    do throws(SegueError) {
      try call.append([.string(activity.hex), .descriptor(pair.input), .descriptor(pair.output)])
    } catch {
      return answer(error)
    }
    session.connection.call(call, timeout: .max) { result in
      if case .failure(let error) = result { answer(error) } else { answer(nil) }
    }
  }

  /// Says why a stream ends that does not end in order. `inode`: of the application's input.
  func streamEnded(_ inode: UInt64, _ error: SegueError, _ number: SessionID) {
    guard let session = sessions[number] else { return }
    let call = Self.call("StreamEnded")
    try? call.append([.uint64(inode), .int32(error.code.rawValue), .string(error.message)])
    call.isNoReply = true
    try? session.connection.send(call)
  }

  /// Asks the application to open a file that its activity names. Without a time limit, as `acceptStream`.
  func openFile(
    _ activity: Identifier, _ url: String, _ number: SessionID,
    _ answer: @escaping (Result<FileDescriptor, SegueError>) -> Void
  ) {
    guard let session = sessions[number] else {
      return answer(.failure(SegueError(.connectionUnavailable, "The application is gone.")))
    }
    let call = Self.call("OpenFile")
    do throws(SegueError) {
      try call.append([.string(activity.hex), .string(url)])
    } catch {
      return answer(.failure(error))
    }
    session.connection.call(call, timeout: .max) { result in
      do throws(SegueError) {
        guard let file = try result.get().arguments().first?.asDescriptor else {
          throw SegueError(.protocolViolation, "The application's answer is not a file.")
        }
        answer(.success(file))
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// Reports how far a file is. Each file has one unanswered report at most, so that reports do not pile up for an
  /// application that does not read them.
  func tellFileProgress(_ transfer: UInt64, _ done: UInt64, _ size: UInt64, _ number: SessionID) {
    guard let session = sessions[number], session.transfersTold.insert(transfer).inserted else { return }
    let call = Self.call("FileProgress")
    try? call.append([.uint64(transfer), .uint64(done), .uint64(size)])
    session.connection.call(call, timeout: .max) { _ in session.transfersTold.remove(transfer) }
  }

  /// Containers have changed, or the declarations of these applications. The applications are told to ask again about
  /// their documents.
  func tellDocumentsChanged(of applications: Set<AppID>? = nil) {
    for session in sessions.values {
      guard let id = session.application?.appID, applications?.contains(id) ?? true else { continue }
      session.connection.call(Self.call("DocumentsChanged"), timeout: Limits.busTime) { _ in }
    }
  }
}
