import Foundation
import SegueBus
import SegueCore
import Testing

@Suite struct BusObjectTests {
  private let properties = InterfaceName(constant: "org.freedesktop.DBus.Properties")
  private let introspectable = InterfaceName(constant: "org.freedesktop.DBus.Introspectable")
  private let peer = InterfaceName(constant: "org.freedesktop.DBus.Peer")

  @Test func wrongCallsAreRefused() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    func error(_ message: Message) throws -> String? { try answer(pair.client, message).errorName }
    let prefix = "org.freedesktop.DBus.Error."
    #expect(try error(call("Echo", [.byte(1)])) == prefix + "InvalidArgs")
    #expect(try error(call("Echo")) == prefix + "InvalidArgs")
    #expect(try error(call("Echo", [.string(""), .string("")])) == prefix + "InvalidArgs")
    #expect(try error(call("Nothing")) == prefix + "UnknownMethod")
    #expect(try error(call("Echo", on: InterfaceName(constant: "org.example.Other"))) == prefix + "UnknownInterface")
    #expect(try error(call("Echo", at: ObjectPath(constant: "/other"))) == prefix + "UnknownObject")
    #expect(try error(call("Drop")) == prefix + "Failed")
    #expect(try error(call("Twice")) == nil)
    #expect(try error(call("Wrong")) == "org.segue.Error.System")
    pair.served.unexport(testPath)
    #expect(try error(call("Twice")) == prefix + "UnknownObject")
    pair.close()
  }

  @Test func noReplyIsWanted() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    let quiet = try call("Fail")
    quiet.isNoReply = true
    try pair.client.send(quiet)
    #expect(try answer(pair.client, call("Echo", [.string("")])).error == nil)
    pair.close()
  }

  @Test func attack38_everyMethodWithEveryTypeAnswers() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    let values = BusValueTests.everything
    let methods = [
      (testInterface, "Echo"), (testInterface, "Fail"), (properties, "Get"), (properties, "Set"),
      (properties, "GetAll"), (introspectable, "Introspect"), (peer, "Ping"), (peer, "GetMachineId"),
    ]
    var open = 0
    for (interface, member) in methods {
      for value in values {
        for arguments in [[value], [value, value], [.string(""), .string(""), value]] {
          open += 1
          pair.client.call(try call(member, arguments, on: interface)) { _ in open -= 1 }
        }
      }
      run(pair.loop) { open == 0 }
    }
    pair.close()
  }

  @Test func propertiesInterface() throws {
    let object = testObject()
    let pair = try Pair { $0.export(object, at: testPath) }
    let name = BusValue.string(testInterface.string)
    func ask(
      _ member: String, _ values: [BusValue]
    ) throws -> (values: [BusValue]?, error: SegueError?, errorName: String?) {
      try answer(pair.client, call(member, values, on: properties))
    }
    let prefix = "org.freedesktop.DBus.Error."
    #expect(try ask("Get", [name, .string("Level")]).values == [.variant(.uint32(7))])
    #expect(try ask("Set", [name, .string("Level"), .variant(.uint32(8))]).values == [])
    #expect(try ask("GetAll", [name]).values == [.dictionary(["Level": .uint32(8), "Name": .string("test")])])
    #expect(try ask("GetAll", [.string("")]).values == [.dictionary(["Level": .uint32(8), "Name": .string("test")])])
    #expect(try ask("Get", [name, .string("Nothing")]).errorName == prefix + "UnknownProperty")
    #expect(try ask("Get", [.string("a.b"), .string("Level")]).errorName == prefix + "UnknownInterface")
    #expect(try ask("GetAll", [.string("a.b")]).errorName == prefix + "UnknownInterface")
    #expect(try ask("Set", [name, .string("Name"), .variant(.string(""))]).errorName == prefix + "PropertyReadOnly")
    #expect(try ask("Set", [name, .string("Level"), .variant(.string(""))]).errorName == prefix + "InvalidArgs")
    var seen: [[BusValue]] = []
    pair.client.addSignalHandler(interface: properties) { message in
      do { seen.append(try message.arguments()) } catch { Issue.record(error) }
    }
    try object.changed(testInterface, ["Level"])
    run(pair.loop) { !seen.isEmpty }
    #expect(seen == [[name, .dictionary(["Level": .uint32(8)]), .strings([])]])
    #expect(throws: SegueError.self) { try object.changed(testInterface, ["Name"]) }
    pair.close()
  }

  @Test func introspection() throws {
    let pair = try Pair {
      $0.export(testObject(), at: ObjectPath(constant: "/org/example/one"))
      $0.export(testObject(), at: ObjectPath(constant: "/org/example/one/inner"))
      $0.export(testObject(), at: ObjectPath(constant: "/org/example/two"))
    }
    func text(_ path: StaticString) throws -> String? {
      try answer(pair.client, call("Introspect", at: ObjectPath(constant: path), on: introspectable)).values?.first?
        .asString
    }
    #expect(try text("/")?.contains("<node name=\"org\"/>") == true)
    #expect(try text("/org/example")?.components(separatedBy: "<node name").count == 3)
    #expect(try text("/nowhere") == nil)
    let object = try #require(try text("/org/example/one"))
    #expect(object.contains("<node name=\"inner\"/>"))
    #expect(object == Introspection.text(of: testObject(), children: ["inner"]))
    #expect(XMLCheck.accepts(object))
    #expect(
      Introspection.text(of: testObject().interfaces[0]).contains(
        """
            <method name="Echo">
              <arg name="value" type="s" direction="in"/>
              <arg name="value" type="s" direction="out"/>
            </method>
            <method name="Fail"/>
        """))
    pair.close()
  }

  @Test func peerInterface() throws {
    let pair = try Pair()
    #expect(try answer(pair.client, call("Ping", on: peer)).values == [])
    let id = try answer(pair.client, call("GetMachineId", on: peer))
    #expect(id.values?.first?.asString?.utf8.count == 32 || id.errorName == "org.freedesktop.DBus.Error.Failed")
    pair.close()
  }
}

/// Whether every element that is opened is closed, in order: enough for text of our own making.
enum XMLCheck {
  static func accepts(_ text: String) -> Bool {
    var open: [Substring] = []
    for part in text.split(separator: "<") where !part.hasPrefix("!") {
      let name = part.prefix { $0 != " " && $0 != ">" && $0 != "/" || $0 == "/" && part.hasPrefix("/") }
      if part.hasPrefix("/") {
        guard open.popLast() == name.dropFirst() else { return false }
      } else if !part.contains("/>") {
        open.append(name)
      }
    }
    return open.isEmpty
  }
}
