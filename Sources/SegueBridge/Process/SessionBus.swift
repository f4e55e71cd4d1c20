import SegueBus
import SegueCore

/// The session bus as bridges use it: names of programs, their properties, and calls that wait for a bounded time. It has a
/// loop of its own, so that a request can be waited for while nothing else happens.
final class SessionBus {
  let loop: EventLoop
  private let connection: Connection

  static let properties = InterfaceName(constant: "org.freedesktop.DBus.Properties")
  private static let name = BusName(constant: "org.freedesktop.DBus")
  private static let path = ObjectPath(constant: "/org/freedesktop/DBus")
  private static let interface = InterfaceName(constant: "org.freedesktop.DBus")

  /// `lost` is called once, when the session's bus ends.
  init(lost: @escaping (SegueError) -> Void) throws(SegueError) {
    loop = try EventLoop()
    connection = try Connection.openBus(on: loop) { error in if let error { lost(error) } }
    connection.setDisconnected { lost(SegueError(.connectionUnavailable, "The session bus has ended.")) }
  }

  var connectionForObjects: Connection { connection }

  // MARK: Names

  /// Calls `changed` for each name below `namespace` that has an owner, and then at every change.
  func follow(
    namesBelow namespace: BusName, _ changed: @escaping (String, BusName?) -> Void
  ) -> SignalSubscription {
    let subscription = connection.addSignalHandler(
      sender: Self.name, path: Self.path, interface: Self.interface,
      member: MemberName(constant: "NameOwnerChanged"), namespace: namespace
    ) { message in
      guard let values = try? message.arguments(), values.count == 3, let name = values[0].asString,
        name.begins(with: namespace.string + "."), let owner = values[2].asString
      else { return }
      changed(name, BusName(owner))
    }
    callBus("ListNames", []) { [weak self] values in
      for name in values?.first?.asStrings ?? [] where name.begins(with: namespace.string + ".") {
        self?.callBus("GetNameOwner", [.string(name)]) { values in
          if let owner = values?.first?.asString.flatMap({ BusName($0) }) { changed(name, owner) }
        }
      }
    }
    return subscription
  }

  /// Calls `changed` with the process that owns the name, or nil, now and at every change.
  func follow(processOf name: BusName, _ changed: @escaping (UInt32?) -> Void) -> NameWatch {
    connection.watchOwner(of: name) { [weak self] owner in
      guard let owner else { return changed(nil) }
      self?.process(of: owner, changed)
    }
  }

  /// Calls `changed` with the unique name of the name's owner, or nil, soon and at every change.
  func follow(ownerOf name: BusName, _ changed: @escaping (BusName?) -> Void) -> NameWatch {
    connection.watchOwner(of: name, changed)
  }

  /// The process behind a unique name, as the bus knows it.
  func process(of owner: BusName, _ done: @escaping (UInt32?) -> Void) {
    callBus("GetConnectionUnixProcessID", [.string(owner.string)]) { done($0?.first?.asUInt32) }
  }

  private func callBus(_ member: StaticString, _ values: [BusValue], _ done: @escaping ([BusValue]?) -> Void) {
    call(Self.name, Self.path, Self.interface, MemberName(constant: member), values, done)
  }

  // MARK: Programs

  /// Calls a method; `done` gets nil where the program refuses, or does not answer in time. `starts`: the bus may start the
  /// program for it.
  func call(
    _ name: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ values: [BusValue],
    starts: Bool = false, timeout: UInt64 = Limits.bridgeAnswerTime, _ done: @escaping ([BusValue]?) -> Void = { _ in }
  ) {
    let message = Message.call(destination: name, path: path, interface: interface, member: member)
    message.isNoAutoStart = !starts
    do throws(SegueError) { try message.append(values) } catch { return loop.later { done(nil) } }
    connection.call(message, timeout: timeout) { result in
      done((try? result.get()).flatMap { try? $0.arguments() })
    }
  }

  /// All properties of an interface; nil where they cannot be had.
  func properties(
    of name: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ done: @escaping (BusDictionary?) -> Void
  ) {
    call(name, path, Self.properties, MemberName(constant: "GetAll"), [.string(interface.string)]) {
      done($0?.first?.asDictionary)
    }
  }

  /// Signals of one program, or of all, from one object, or from all.
  func follow(
    _ sender: BusName?, _ path: ObjectPath?, _ interface: InterfaceName, _ member: MemberName,
    _ body: @escaping (Message) -> Void
  ) -> SignalSubscription {
    connection.addSignalHandler(sender: sender, path: path, interface: interface, member: member, body)
  }

  /// Waits for an answer that `begin` asks for, for `Limits.bridgeAnswerTime` at most; nil without one.
  func wait<Answer>(_ begin: (@escaping (Answer?) -> Void) -> Void) -> Answer? {
    var answer: Answer?
    var isAnswered = false
    begin {
      answer = $0
      isAnswered = true
    }
    let end = Instant.now + Limits.bridgeAnswerTime
    while !isAnswered {
      let left = Instant.now.time(until: end)
      guard left > 0 else { break }
      loop.wait(milliseconds: Int32(truncatingIfNeeded: left))
    }
    return answer
  }
}
