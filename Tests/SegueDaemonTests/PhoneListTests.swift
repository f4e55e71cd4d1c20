import SegueBus
import SegueControl
import SegueCore
import Testing

@testable import SegueDaemon

/// The answers of programs that reach phones, and the phones that are taken from them.
@Suite struct PhoneListTests {
  private func names(_ pairs: [(String, String)]) -> BusValue {
    .array(elementSignature: "{ss}", pairs.map { .structure([.string($0.0), .string($0.1)]) })
  }

  private func object(_ path: String, _ interface: String, _ properties: BusDictionary) throws -> BusValue {
    .structure([
      .objectPath(try #require(ObjectPath(path))),
      .array(elementSignature: "{sa{sv}}", [.structure([.string(interface), .dictionary(properties)])]),
    ])
  }

  @Test func X13_namesAreSortedAndCleaned() {
    let rows = PhoneList.names(names([("b", "Z\n\u{202E}x"), ("a", "A"), ("c", ""), ("d/e", "No")]))
    #expect(rows.map(\.id) == ["kdeconnect:a", "kdeconnect:b", "kdeconnect:c"])
    #expect(rows.map(\.name) == ["A", "Z x", "c"])
    #expect(rows.allSatisfy { $0.program == "KDE Connect" })
  }

  @Test func X13_otherAnswersGiveNone() {
    for value: BusValue? in [nil, .string("a"), .array(elementSignature: "s", [.string("a")]), names([])] {
      #expect(PhoneList.names(value).isEmpty)
      #expect(PhoneList.objects(value, of: .valent, interface: "a.b").isEmpty)
    }
  }

  @Test func X13_onlyPhonesInReachAreListed() throws {
    let interface = "ca.andyholmes.Valent.Device"
    let entries = try [
      object("/a", interface, ["Id": .string("a"), "Name": .string("A"), "State": .uint32(3)]),
      object("/b", interface, ["Id": .string("b"), "Name": .string("B"), "State": .uint32(2)]),
      object(
        "/c", interface, ["Id": .string("c"), "Name": .string("C"), "Connected": .bool(true), "Paired": .bool(true)]),
      object("/d", interface, ["Id": .string("d"), "Name": .string("D"), "Connected": .bool(true)]),
      object("/e", "other.Device", ["Id": .string("e"), "Name": .string("E"), "State": .uint32(3)]),
      object("/f", interface, ["Name": .string("F"), "State": .uint32(3)]),
    ]
    let found = PhoneList.objects(.array(elementSignature: "{oa{sa{sv}}}", entries), of: .valent, interface: interface)
    #expect(found.map(\.phone.id) == ["valent:a", "valent:c"] && found.map(\.path.string) == ["/a", "/c"])
  }

  @Test func X13_soManyPhonesAndNoMore() throws {
    let many = (0..<100).map { ("p\($0)", "P") }
    #expect(PhoneList.names(names(many)).count == Limits.phones)
    let objects = try many.map {
      try object("/" + $0.0, "a.b", ["Id": .string($0.0), "Name": .string("P"), "State": .uint32(3)])
    }
    #expect(
      PhoneList.objects(.array(elementSignature: "{oa{sa{sv}}}", objects), of: .gsConnect, interface: "a.b").count
        == Limits.phones)
    let foreign = try many.map { try object("/" + $0.0, "c.d", [:]) }
    let late = foreign.prefix(Limits.phoneObjects) + [objects[0]]
    #expect(
      PhoneList.objects(.array(elementSignature: "{oa{sa{sv}}}", Array(late)), of: .valent, interface: "a.b").isEmpty)
  }
}
