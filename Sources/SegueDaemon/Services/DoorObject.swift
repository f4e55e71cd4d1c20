import SegueBus
import SegueCore
import SegueEngine

/// The object at the door, for one session: the methods of data/dbus-1/interfaces/org.segue.Door1.xml, as events.
struct DoorObject {
  let door: DoorService
  let session: Session
  let files: FileService
  let streams: StreamService
  let replies: Replies
  let tell: (Event) -> Void

  static let noHello = SegueError(
    .accessDenied, "Say Hello first, with the token that OpenDoor gave.", advice: order)

  private static let order = "docs/bus.md tells the order of calls at the door."

  // MARK: The methods

  func object() -> BusObject {
    BusObject([
      BusInterface(SegueAddress.doorInterface, methods: greetings + activities + offers + continuations)
    ])
  }

  /// A method for applications that have registered.
  private func method(
    _ name: String, in input: [BusArgument], out output: [BusArgument] = [],
    _ body: @escaping ([BusValue], RegisteredCaller, Invocation) throws(SegueError) -> Void
  ) -> BusMethod {
    BusMethod(name, in: input, out: output) { arguments, invocation in
      guard let application = session.application else {
        return invocation.fail(SegueError(.accessDenied, "Register first.", advice: Self.order))
      }
      do throws(SegueError) {
        try body(arguments, application, invocation)
      } catch {
        invocation.fail(error)
      }
    }
  }

  /// The object for a connection that gets no session: it says why.
  static func refusing(_ error: SegueError) -> BusObject {
    BusObject([BusInterface(SegueAddress.doorInterface, methods: [hello { _, invocation in invocation.fail(error) }])])
  }

  private static func hello(_ body: @escaping ([BusValue], Invocation) -> Void) -> BusMethod {
    BusMethod(
      "Hello",
      in: [
        BusArgument("lowest_version", "u"), BusArgument("highest_version", "u"), BusArgument("token", "s"),
        BusArgument("info", "a{sv}"),
      ], out: [BusArgument("version", "u"), BusArgument("daemon_info", "a{sv}")]
    ) { arguments, invocation in body(arguments, invocation) }
  }

  private var greetings: [BusMethod] {
    [
      Self.hello { arguments, invocation in hello(arguments, invocation) },
      BusMethod("Register", in: [BusArgument("app_id", "s"), BusArgument("options", "a{sv}")]) {
        arguments, invocation in register(arguments, invocation)
      },
    ]
  }

  private var activities: [BusMethod] {
    [
      method("SetCurrent", in: [BusArgument("activity", "a{sv}")]) { arguments, _, invocation throws(SegueError) in
        let activity = try DoorActivity(arguments.first?.asDictionary ?? BusDictionary())
        say(.setCurrent(activity, expect(invocation)))
      },
      method("Resign", in: [BusArgument("activity", "s")]) { arguments, _, invocation throws(SegueError) in
        say(.resign(try identifier(arguments.first)))
        invocation.reply()
      },
      method("SetExpiry", in: [BusArgument("activity", "s"), BusArgument("options", "a{sv}")]) {
        arguments, _, invocation throws(SegueError) in
        say(.setExpiry(try identifier(arguments.first), timeLeft: CallOptions(of: arguments.last).timeLeft))
        invocation.reply()
      },
      method("Invalidate", in: [BusArgument("activity", "s")]) { arguments, _, invocation throws(SegueError) in
        say(.invalidate(try identifier(arguments.first)))
        invocation.reply()
      },
      method("DeleteSaved", in: [BusArgument("ids", "as"), BusArgument("all", "b")]) {
        arguments, _, invocation throws(SegueError) in
        say(.deleteSaved(try DoorDeletion.decode(arguments), expect(invocation)))
      },
      method(
        "LastState", in: [BusArgument("query", "a{sv}")],
        out: [BusArgument("found", "b"), BusArgument("state", "a{sv}")]
      ) { arguments, _, invocation throws(SegueError) in
        let query = try StateQuery(arguments.first?.asDictionary ?? BusDictionary())
        say(.lastState(query, expect(invocation)))
      },
      method("RunsPlugin", in: [BusArgument("plugin", "s")]) { arguments, _, invocation throws(SegueError) in
        let text = arguments.first?.asString ?? ""
        let plugin = PluginID(text)
        guard plugin != nil || text.isEmpty else {
          throw SegueError(.invalidArgument, "A plugin's id is a reversed domain name.")
        }
        say(.runsPlugin(plugin))
        invocation.reply()
      },
      method(
        "FindDocument", in: [BusArgument("url", "s"), BusArgument("mime_type", "s")],
        out: [BusArgument("place", "a{sv}")]
      ) { arguments, application, invocation throws(SegueError) in
        try files.findDocument(arguments.first, arguments.last, of: application, invocation)
      },
    ]
  }

  private var offers: [BusMethod] {
    [
      method("FollowOffers", in: []) { _, _, invocation in
        invocation.reply()
        say(.followOffers)
      },
      method(
        "Continue",
        in: [BusArgument("device", "s"), BusArgument("activity", "s"), BusArgument("options", "a{sv}")],
        out: [BusArgument("continuation", "s")]
      ) { arguments, _, invocation throws(SegueError) in
        guard arguments.count == 3, let device = arguments[0].asString,
          let id = arguments[1].asString.flatMap({ Identifier(hex: $0) })
        else { throw SegueError(.invalidArgument, "An offer has a device and an id of 32 hexadecimal digits.") }
        let token = CallOptions(of: arguments[2]).activationToken
        guard token?.utf8.count ?? 0 <= Limits.identifierLength else {
          throw SegueError(.invalidArgument, "An activation token has at most \(Limits.identifierLength) bytes.")
        }
        say(.choose(device: device, id, activationToken: token, expect(invocation)))
      },
    ]
  }

  private var continuations: [BusMethod] {
    [
      method(
        "OpenStream", in: [BusArgument("continuation", "s")],
        out: [BusArgument("input", "h"), BusArgument("output", "h")]
      ) { arguments, _, invocation throws(SegueError) in
        let continuation = try identifier(arguments.first)
        streams.ask(continuation, for: session.number, expect(invocation))
      },
      method(
        "BringFile",
        in: [BusArgument("continuation", "s"), BusArgument("url", "s"), BusArgument("transfer", "t")],
        out: [BusArgument("file", "a{sv}")]
      ) { arguments, _, invocation throws(SegueError) in
        guard arguments.count == 3, let url = arguments[1].asString, let transfer = arguments[2].asUInt64 else {
          throw SegueError(.invalidArgument, "A file has a URL, and a number for its transfer.")
        }
        let continuation = try identifier(arguments.first)
        say(.bringFile(continuation: continuation, url: url, transfer: transfer, expect(invocation)))
      },
      method("CancelFile", in: [BusArgument("transfer", "t")]) { arguments, _, invocation throws(SegueError) in
        guard let transfer = arguments.first?.asUInt64 else {
          throw SegueError(.invalidArgument, "A transfer has a number.")
        }
        say(.cancelFile(transfer: transfer))
        invocation.reply()
      },
      method(
        "Begin", in: [BusArgument("ticket", "s"), BusArgument("options", "a{sv}")],
        out: [BusArgument("info", "a{sv}")]
      ) { arguments, _, invocation throws(SegueError) in
        let showsFailure = CallOptions(of: arguments.last).showsFailure ?? false
        say(.begin(ticket: try identifier(arguments.first), showsFailure: showsFailure, expect(invocation)))
      },
      method("Announced", in: [BusArgument("ticket", "s"), BusArgument("shown", "b")]) {
        arguments, _, invocation throws(SegueError) in
        say(.announced(ticket: try identifier(arguments.first), shown: arguments.last?.asBool ?? false))
        invocation.reply()
      },
      method("Claim", in: [BusArgument("ticket", "s")], out: [BusArgument("snapshot", "a{sv}")]) {
        arguments, _, invocation throws(SegueError) in
        say(.claim(ticket: try identifier(arguments.first), expect(invocation)))
      },
      method("Finish", in: [BusArgument("ticket", "s"), BusArgument("handled", "b")]) {
        arguments, _, invocation throws(SegueError) in
        say(.finish(ticket: try identifier(arguments.first), handled: arguments.last?.asBool ?? false))
        invocation.reply()
      },
    ]
  }

  // MARK: Calls

  private func say(_ event: Event.DoorEvent) { tell(.door(session.number, event)) }

  private func expect(_ invocation: Invocation) -> RequestID {
    replies.expect { reply, pair in
      do throws(SegueError) {
        switch reply {
        case .done: invocation.reply()
        case .failed(let error): invocation.fail(error)
        case .continuation(let id): invocation.reply([.string(id.hex)])
        case .begun(let info): invocation.reply([.dictionary(info.dictionary)])
        case .stream:
          guard let pair else { throw SegueError(.connectionUnavailable) }
          invocation.reply([.descriptor(pair.input), .descriptor(pair.output)])
        case .file(let file): invocation.reply([.dictionary(file.dictionary)])
        case .state(let state):
          let dictionary = try state.map { state throws(SegueError) in try DoorState.encode(state) }
          invocation.reply([.bool(state != nil), .dictionary(dictionary ?? BusDictionary())])
        case .link(let id): invocation.reply([.string(id?.string ?? "")])
        case .page(let url): invocation.reply([.string(url.string)])
        case .claimed(let snapshot): invocation.reply([.dictionary(try DoorSnapshot.encode(snapshot))])
        }
      } catch {
        invocation.fail(error)
      }
    }
  }

  private func identifier(_ value: BusValue?) throws(SegueError) -> Identifier {
    guard let id = value?.asString.flatMap({ Identifier(hex: $0) }) else {
      throw SegueError(.invalidArgument, "An id or a ticket has 32 hexadecimal digits.")
    }
    return id
  }

  private func hello(_ arguments: [BusValue], _ invocation: Invocation) {
    guard arguments.count == 4, let lowest = arguments[0].asUInt32, let highest = arguments[1].asUInt32,
      let token = arguments[2].asString
    else { return invocation.fail(SegueError(.invalidArgument, "This is no Hello.")) }
    let version = min(highest, DoorProtocol.highestVersion)
    guard version >= max(lowest, DoorProtocol.lowestVersion) else {
      return invocation.fail(
        SegueError(
          .versionMismatch, "The application's Segue library and segued have no version in common.",
          advice: "Update Segue, then start the application again."))
    }
    guard door.greet(session, token: token) else {
      return invocation.fail(SegueError(.accessDenied, "The token is wrong, old, or was used before."))
    }
    door.welcome(session)
    invocation.reply([.uint32(version), .dictionary(["version": .string(Version.string)])])
  }

  private func register(_ arguments: [BusValue], _ invocation: Invocation) {
    guard session.isGreeted else { return invocation.fail(Self.noHello) }
    guard let id = arguments.first?.asString.flatMap({ AppID($0) }) else {
      return invocation.fail(SegueError(.invalidArgument, "An app id is a D-Bus name."))
    }
    do throws(SegueError) {
      let application = try door.register(session, as: id)
      invocation.reply()
      let takesLaunches = CallOptions(of: arguments.last).takesLaunches ?? false
      say(.registered(application.appID, application.tier, takesLaunches: takesLaunches))
    } catch {
      invocation.fail(error)
    }
  }
}
