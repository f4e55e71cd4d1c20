import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon

/// Somebody on a test's bus who is called Avahi, writes down what he is asked for, and says what a test wants him to:
/// also what the real one hardly ever would.
final class AvahiStandIn {
  struct Call: Equatable {
    let path: String
    let member: String
    let values: [BusValue]
  }

  let connection: Connection
  private(set) var calls: [Call] = []
  /// 1: looks whether the machine's name is taken; 2: runs.
  var state: Int32
  /// Names of the errors with which methods are refused.
  var refusals: [String: String] = [:]
  /// Questions for addresses that wait for `resolve`.
  private(set) var resolving: [(name: String, invocation: Invocation)] = []
  private var made = 0

  static let server = InterfaceName(constant: "org.freedesktop.Avahi.Server")
  static let group = InterfaceName(constant: "org.freedesktop.Avahi.EntryGroup")
  static let browser = InterfaceName(constant: "org.freedesktop.Avahi.ServiceBrowser")
  private static let root = ObjectPath(constant: "/")

  init(_ machine: MachineBus, on loop: EventLoop, state: Int32 = 2, isNamed: Bool = true) throws {
    self.state = state
    connection = try machine.somebody(on: loop)
    export(
      at: Self.root, Self.server,
      [
        "GetState": ([], ["i"]), "EntryGroupNew": ([], ["o"]), "ServiceBrowserNew": (["i", "i", "s", "s", "u"], ["o"]),
        "ResolveService": (
          ["i", "i", "s", "s", "s", "i", "u"], ["i", "i", "s", "s", "s", "s", "i", "s", "q", "aay", "u"]
        ),
      ])
    guard isNamed else { return }
    var outcome: NameOutcome?
    connection.requestName(AvahiServer.name) { outcome = $0 }
    try loop.wait(until: { outcome == .owner })
  }

  /// The members that were called, in the order of the calls.
  var members: [String] { calls.map(\.member) }

  /// The members that were called at each object that was made for a client, the oldest object first.
  var groups: [[String]] {
    Dictionary(grouping: calls.filter { $0.path != "/" }, by: \.path).sorted { $0.key < $1.key }.map {
      $0.value.map(\.member)
    }
  }

  private func export(at path: ObjectPath, _ interface: InterfaceName, _ methods: [String: ([String], [String])]) {
    let methods = methods.map { name, signature in
      BusMethod(
        name, in: signature.0.map { BusArgument("a", $0) }, out: signature.1.map { BusArgument("a", $0) }
      ) { [unowned self] in answer(path, name, $0, $1) }
    }
    connection.export(BusObject([BusInterface(interface, methods: methods)]), at: path)
  }

  private func answer(_ path: ObjectPath, _ member: String, _ values: [BusValue], _ invocation: Invocation) {
    calls.append(Call(path: path.string, member: member, values: values))
    if let name = refusals[member].flatMap({ InterfaceName($0) }) { return invocation.fail(name: name, text: "No.") }
    switch member {
    case "GetState": invocation.reply([.int32(state)])
    case "EntryGroupNew":
      let path = newPath()
      export(
        at: path, Self.group,
        [
          "AddService": (["i", "i", "u", "s", "s", "s", "s", "q", "aay"], []),
          "AddAddress": (["i", "i", "u", "s", "s"], []), "Commit": ([], []), "Free": ([], []),
        ])
      invocation.reply([.objectPath(path)])
    case "ServiceBrowserNew":
      let path = newPath()
      export(at: path, Self.browser, ["Free": ([], [])])
      invocation.reply([.objectPath(path)])
    case "ResolveService": resolving.append((values[2].asString ?? "", invocation))
    default: invocation.reply()
    }
  }

  private func newPath() -> ObjectPath {
    made += 1
    return ObjectPath("/Client0/Object\(made)") ?? Self.root
  }

  // MARK: Its messages

  func say(_ member: StaticString, of interface: InterfaceName, at path: String = "/", _ values: [BusValue]) throws {
    let message = Message.signal(
      path: try #require(ObjectPath(path)), interface: interface, member: MemberName(constant: member))
    try message.append(values)
    try connection.send(message)
  }

  /// Another state of the server: 1, 2.
  func become(_ state: Int32) throws {
    self.state = state
    try say("StateChanged", of: Self.server, [.int32(state), .string("")])
  }

  /// 2: it is announced, 3: somebody else has the name, 4: it cannot be.
  func group(at path: String, became state: Int32) throws {
    try say("StateChanged", of: Self.group, at: path, [.int32(state), .string("org.freedesktop.Avahi.Error")])
  }

  func item(
    _ signal: StaticString, _ name: String, interface: Int32 = 2, version: Int32 = 0, type: String = "_segue._tcp",
    domain: String = "local", flags: UInt32 = 4
  ) throws {
    try say(
      signal, of: Self.browser,
      [.int32(interface), .int32(version), .string(name), .string(type), .string(domain), .uint32(flags)])
  }

  /// Answers the oldest question for an address.
  func resolve(_ address: String, version: Int32 = 0, port: UInt16 = 4711, text: [String] = ["v=1"]) {
    let (name, invocation) = resolving.removeFirst()
    invocation.reply([
      .int32(2), .int32(version), .string(name), .string("_segue._tcp"), .string("local"), .string("x.local"),
      .int32(version), .string(address), .uint16(port),
      .array(elementSignature: "ay", text.map { .bytes(Array($0.utf8)) }), .uint32(5),
    ])
  }

  func refuseToResolve() {
    let invocation = resolving.removeFirst().invocation
    invocation.fail(name: InterfaceName(constant: "org.freedesktop.Avahi.TimeoutError"), text: "Timeout reached")
  }
}
