import CLinux
import SegueBus
import SegueCore

/// The private connection to the daemon: the application's messages to it, and its calls to the application.
final class Door {
  struct Failure: Error {
    let error: SegueError
    /// Whether trying again may help; if not, a signal of the bus says when it does.
    let retry: Bool
  }

  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  // MARK: Opening

  /// A door on which Hello was not answered yet.
  fileprivate convenience init(_ connection: Connection, of application: Application) {
    self.init(connection)
    connection.setDisconnected { application.registration.lost(self) }
    connection.export(object(of: application), at: SegueAddress.doorApplicationPath)
  }

  fileprivate func register(_ appID: AppID, _ reply: @escaping (Result<Message, SegueError>) -> Void) {
    call("Register", [.string(appID.string), .dictionary(CallOptions(takesLaunches: true).dictionary)], reply)
  }

  /// Closes a door that is not open yet, without waiting.
  fileprivate func abandon() { connection.close() }

  var isOpen: Bool { connection.isOpen }

  /// Checks that the daemon answers; any answer will do.
  func ping(_ answered: @escaping () -> Void) {
    let message = Message.call(
      destination: nil, path: SegueAddress.doorPath, interface: InterfaceName(constant: "org.freedesktop.DBus.Peer"),
      member: MemberName(constant: "Ping"))
    connection.call(message, timeout: Limits.busTime) { _ in answered() }
  }

  func close() {
    connection.setDisconnected(nil)
    connection.flush(milliseconds: Limits.farewellTime)
    connection.close()
  }

  // MARK: Messages to the daemon

  func setCurrent(_ activity: DoorActivity) { tell("SetCurrent", [.dictionary(activity.dictionary)]) }
  func resign(_ id: Identifier) { tell("Resign", [.string(id.hex)]) }
  /// Sends the time until an activity expires; nil: never.
  func setExpiry(_ id: Identifier, timeLeft: UInt64?) {
    tell("SetExpiry", [.string(id.hex), .dictionary(CallOptions(timeLeft: timeLeft).dictionary)])
  }
  func invalidate(_ id: Identifier) { tell("Invalidate", [.string(id.hex)]) }
  /// Deletes stored copies by their persistent identifiers; nil: all of the application's.
  func deleteSaved(_ ids: [String]?, _ reply: @escaping (SegueError?) -> Void) {
    call("DeleteSaved", [.strings(ids ?? []), .bool(ids == nil)]) { result in
      if case .failure(let error) = result { reply(error) } else { reply(nil) }
    }
  }

  /// Asks for a state that the application stored in an earlier run; nil: there is none.
  func lastState(
    _ query: StateQuery, within time: UInt64, _ reply: @escaping (Result<StoredState?, SegueError>) -> Void
  ) {
    call("LastState", [.dictionary(query.dictionary)], timeout: time) { result in
      do throws(SegueError) {
        let answer = try result.get().arguments()
        guard let isFound = answer.first?.asBool, let state = answer.last?.asDictionary else {
          throw SegueError(.protocolViolation, "The daemon's answer was not understood.")
        }
        reply(.success(isFound ? try DoorState.decode(state) : nil))
      } catch {
        reply(.failure(error))
      }
    }
  }

  func followOffers() { tell("FollowOffers", []) }

  /// Continues an offer. The daemon answers when the application has begun to continue it, or will not, within its own
  /// bound; the bound here only guards against a daemon that hangs.
  func continueOffer(
    _ id: ListedOffer.ID, activationToken: String?, _ reply: @escaping (SegueError?) -> Void
  ) {
    let options = CallOptions(activationToken: activationToken)
    call(
      "Continue", [.string(id.device), .string(id.activity.hex), .dictionary(options.dictionary)],
      timeout: Limits.ticketTime &+ Limits.answerMargin
    ) { result in
      if case .failure(let error) = result { reply(error) } else { reply(nil) }
    }
  }

  func finish(_ ticket: String, handled: Bool) { tell("Finish", [.string(ticket), .bool(handled)]) }

  /// `showsFailure`: the application has a did_fail, so that the daemon need not tell the user (semantics V5).
  /// `reply` nil: the launch message has said what is coming, and the answer to the claim says the rest.
  func begin(
    _ ticket: String, showsFailure: Bool, _ reply: ((Result<DoorBegin, SegueError>) -> Void)?
  ) {
    let options = CallOptions(showsFailure: showsFailure)
    guard let reply else { return tell("Begin", [.string(ticket), .dictionary(options.dictionary)]) }
    call("Begin", [.string(ticket), .dictionary(options.dictionary)]) { result in
      do throws(SegueError) {
        reply(.success(try DoorBegin(try dictionary(of: result).get())))
      } catch {
        reply(.failure(error))
      }
    }
  }

  /// `shown`: the result of will_continue; if it is false the daemon shows that an activity comes (semantics V4).
  func announced(_ ticket: String, shown: Bool) { tell("Announced", [.string(ticket), .bool(shown)]) }

  /// Says which plugin's code will run next, or that none does any more: if it crashes, the daemon can name the plugin.
  /// The message is written before the plugin is called, unless the daemon has more still to read; this never waits.
  func runs(_ plugin: PluginID?) { tell("RunsPlugin", [.string(plugin?.string ?? "")]) }

  func findDocument(_ url: String, _ mimeType: String, _ reply: @escaping (Result<DocumentPlace, SegueError>) -> Void) {
    call("FindDocument", [.string(url), .string(mimeType)]) { reply(dictionary(of: $0).map { DocumentPlace($0) }) }
  }

  /// Claims a continuation: the reply is its state, an error its failure. The daemon answers within its own bound; this
  /// one only guards against a daemon that hangs.
  func claim(
    _ ticket: String, within time: UInt64 = Limits.claimTime &+ Limits.answerMargin,
    _ reply: @escaping (Result<Snapshot, SegueError>) -> Void
  ) {
    call("Claim", [.string(ticket)], timeout: time) { result in
      do throws(SegueError) {
        reply(.success(try DoorSnapshot.decode(try dictionary(of: result).get())))
      } catch {
        reply(.failure(error))
      }
    }
  }

  /// Opens a stream. The daemon answers when the other application has its pair, within its own bound; the bound here
  /// only guards against a daemon that hangs.
  func openStream(_ continuation: Identifier, _ reply: @escaping (Result<StreamPair, SegueError>) -> Void) {
    call("OpenStream", [.string(continuation.hex)], timeout: Limits.claimTime &+ Limits.answerMargin) { result in
      do throws(SegueError) {
        reply(.success(try StreamPair(try result.get().takeArguments())))
      } catch {
        reply(.failure(error))
      }
    }
  }

  /// Brings a file. The daemon answers when the file is here, or will not be, however long that takes: it bounds its
  /// own waiting.
  func bringFile(
    _ continuation: Identifier, _ url: String, transfer: UInt64,
    _ reply: @escaping (Result<BroughtFile, SegueError>) -> Void
  ) {
    call("BringFile", [.string(continuation.hex), .string(url), .uint64(transfer)], timeout: .max) { result in
      do throws(SegueError) {
        reply(.success(try BroughtFile(try dictionary(of: result).get())))
      } catch {
        reply(.failure(error))
      }
    }
  }

  func cancelFile(_ transfer: UInt64) { tell("CancelFile", [.uint64(transfer)]) }

  // MARK: The daemon's requests

  private func object(of application: Application) -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.doorApplicationInterface,
        methods: [
          BusMethod(
            "Save", in: [BusArgument("activity", "s"), BusArgument("request", "a{sv}")],
            out: [BusArgument("snapshot", "a{sv}")]
          ) { arguments, invocation in
            guard let id = arguments.first?.asString.flatMap({ Identifier(hex: $0) }) else {
              return invocation.fail(SegueError(.invalidArgument, "An activity's id has 32 hexadecimal digits."))
            }
            let request = DoorSaveRequest(of: arguments.last)
            application.saving.save(id, request) { snapshot in
              switch snapshot {
              case .success(let snapshot): invocation.reply([.dictionary(snapshot)])
              case .failure(let error): invocation.fail(error)
              }
            }
          },
          BusMethod(
            "WillContinue",
            in: [BusArgument("ticket", "s"), BusArgument("info", "a{sv}"), BusArgument("platform_data", "a{sv}")]
          ) { arguments, invocation in application.arrivals.willContinueAtDoor(arguments, invocation) },
          BusMethod("WasContinued", in: [BusArgument("activity", "s"), BusArgument("info", "a{sv}")]) {
            arguments, invocation in
            guard let id = arguments.first?.asString.flatMap({ Identifier(hex: $0) }),
              let activity = application.offering.activity(id)
            else { return invocation.fail(SegueError(.notFound, "This process has no such activity any more.")) }
            invocation.reply()
            let options = CallOptions(of: arguments.last)
            application.offering.wasContinued(
              activity, by: options.continuation, inBrowser: options.inBrowser ?? false)
          },
          BusMethod("DocumentsChanged") { _, invocation in
            invocation.reply()
            application.documents.doubt()
          },
          BusMethod("OffersChanged", in: [BusArgument("offers", "aa{sv}")]) { arguments, invocation in
            invocation.reply()
            application.offers.came(arguments.first)
          },
          BusMethod(
            "AcceptStream",
            in: [BusArgument("activity", "s"), BusArgument("input", "h"), BusArgument("output", "h")]
          ) { arguments, invocation in
            do throws(SegueError) {
              try application.streams.accept(
                arguments.first?.asString.flatMap { Identifier(hex: $0) }, Array(arguments.dropFirst()))
              invocation.reply()
            } catch {
              invocation.fail(error)
            }
          },
          BusMethod(
            "OpenFile", in: [BusArgument("activity", "s"), BusArgument("url", "s")], out: [BusArgument("file", "h")]
          ) { arguments, invocation in
            do throws(SegueError) {
              let file = try application.files.open(
                arguments.first?.asString.flatMap { Identifier(hex: $0) }, arguments.last?.asString ?? "")
              invocation.reply([.descriptor(file)])
            } catch {
              invocation.fail(error)
            }
          },
          BusMethod(
            "FileProgress", in: [BusArgument("transfer", "t"), BusArgument("done", "t"), BusArgument("size", "t")]
          ) { arguments, invocation in
            invocation.reply()
            guard arguments.count == 3, let transfer = arguments[0].asUInt64, let done = arguments[1].asUInt64,
              let size = arguments[2].asUInt64
            else { return }
            application.files.progressed(transfer, done, size)
          },
          BusMethod(
            "StreamEnded", in: [BusArgument("inode", "t"), BusArgument("code", "i"), BusArgument("message", "s")]
          ) { arguments, invocation in
            invocation.reply()
            guard arguments.count == 3, let inode = arguments[0].asUInt64, let code = arguments[1].asInt32,
              let message = arguments[2].asString
            else { return }
            application.streams.ended(inode, SegueError.Code(rawValue: code), message)
          },
        ])
    ])
  }

  // MARK: Calls

  /// Sends a message that needs no reply. One that cannot be sent is dropped, as it would be with the door.
  private func tell(_ member: StaticString, _ arguments: [BusValue]) {
    guard connection.isOpen else { return }
    let message = Self.message(member)
    message.isNoReply = true
    do throws(SegueError) {
      try message.append(arguments)
      try connection.send(message)
    } catch {}
  }

  private static func message(_ member: StaticString) -> Message {
    Message.call(
      destination: nil, path: SegueAddress.doorPath, interface: SegueAddress.doorInterface,
      member: MemberName(constant: member))
  }

  private func call(
    _ member: StaticString, _ arguments: [BusValue], timeout: UInt64 = Limits.callTime,
    _ reply: @escaping (Result<Message, SegueError>) -> Void
  ) {
    let message = Self.message(member)
    do {
      try message.append(arguments)
    } catch {
      return reply(.failure(error))
    }
    connection.call(message, timeout: timeout, reply: reply)
  }
}

/// The opening of a door: DoorConnector, then Register. The application owns it, and with it a
/// half-open door. It ends once: answered, or cancelled.
final class DoorOpening {
  private let application: Application
  private var done: ((Result<Door, Door.Failure>) -> Void)?
  private var connector: DoorConnector?
  /// The door that is connected and not registered yet.
  private var door: Door?
  private var isGreeted = false
  private var isRegistered = false

  init(for application: Application, _ done: @escaping (Result<Door, Door.Failure>) -> Void) {
    self.application = application
    self.done = done
  }

  // A daemon of another version stays one, and an application that is refused stays refused until another daemon runs;
  // a signal of the bus announces that. Any other failure may be over soon.
  func begin(through bus: Connection) {
    let connector = DoorConnector(
      connected: { [self] in door = Door($0, of: application) }, greeting: { [self] _ in register() }
    ) { [self] result in
      self.connector = nil
      switch result {
      case .success:
        isGreeted = true
        finish()
      case .failure(let failure):
        // Without a service file for the daemon only an owner of its name can help, which a signal of the bus
        // announces; and a sandbox has its permissions from its start.
        if failure.isUnknown || failure.isRefused {
          fail(Sandbox.refusalOfDaemon(isHidden: failure.isUnknown), isFinal: true)
        } else {
          fail(failure.error, isFinal: failure.step == .hello && failure.error.code == .versionMismatch)
        }
      }
    }
    self.connector = connector
    connector.begin(through: bus)
  }

  /// Ends the opening without calling `done`.
  func cancel() {
    done = nil
    connector?.cancel()
    connector = nil
    door?.abandon()
    door = nil
  }

  private func register() {
    door?.register(application.appID) { [self] registered in
      if case .failure(let error) = registered {
        // Without an answer to Hello the connection has ended, which the connector tells.
        if isGreeted { fail(error, isFinal: error.code == .notFound || error.code == .accessDenied) }
        return
      }
      isRegistered = true
      finish()
    }
  }

  private func finish() {
    guard isGreeted, isRegistered, let door else { return }
    let done = done
    self.done = nil
    self.door = nil
    done?(.success(door))
  }

  private func fail(_ error: SegueError, isFinal: Bool) {
    let done = done
    cancel()
    done?(.failure(Door.Failure(error: error, retry: !isFinal)))
  }
}

/// The one dictionary of a reply.
private func dictionary(of result: Result<Message, SegueError>) -> Result<BusDictionary, SegueError> {
  do throws(SegueError) {
    guard let dictionary = try result.get().arguments().first?.asDictionary else {
      throw SegueError(.protocolViolation, "The daemon's answer was not understood.")
    }
    return .success(dictionary)
  } catch {
    return .failure(error)
  }
}
