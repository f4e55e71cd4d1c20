import SegueControl
import SegueCore
import Testing

@testable import segue

@Suite struct SelectionTests {
  private func offer(_ id: String, here: Bool = false, app: String = "org.example.Editor") -> ShownOffer {
    var row = OfferRow()
    (row.id, row.isHere, row.localApp) = (id, here, app)
    return ShownOffer(row)
  }

  private func device(_ id: String, _ name: String) -> Device {
    var row = DeviceRow()
    (row.id, row.name) = (id, name)
    return Device(row)
  }

  @Test func `the start of an id is enough where it fits one`() throws {
    let offers = [offer("3f2a91c0aa"), offer("3f2a81c0aa"), offer("77")]
    #expect(try Selection.offer("3F2A9", among: offers).id == "3f2a91c0aa")
    #expect(throws: SegueError.self) { try Selection.offer("3f2a", among: offers) }
    #expect(throws: SegueError.self) { try Selection.offer("3f2", among: offers) }
    #expect(throws: SegueError.self) { try Selection.offer("beef", among: offers) }
    #expect(throws: SegueError.self) { try Selection.offer("", among: offers) }
  }

  @Test func `an activity and its own stored copy are one choice, another with the same start is not`() throws {
    var copy = StoredRow()
    copy.id = "3f2a91c0aa"
    copy.kind = .search
    #expect(try Selection.offer("3f2a", among: [offer("3f2a91c0aa"), ShownOffer(copy)]).isContinuable)
    copy.id = "3f2a81c0aa"
    #expect(throws: SegueError.self) { try Selection.offer("3f2a", among: [offer("3f2a91c0aa"), ShownOffer(copy)]) }
  }

  @Test func `the latest is the newest of another device that can be continued`() throws {
    let offers = [offer("1", here: true), offer("2", app: ""), offer("3"), offer("4")]
    #expect(try Selection.latest(of: offers).id == "3")
    #expect(code { () throws(SegueError) in try Selection.latest(of: [offer("1", here: true)]) } == .notFound)
    #expect(code { () throws(SegueError) in try Selection.latest(of: [offer("2", app: "")]) } == .noApplication)
  }

  @Test func `without an id there must be one offer`() throws {
    #expect(try Selection.only(of: [offer("1")]).id == "1")
    #expect(code { () throws(SegueError) in try Selection.only(of: []) } == .notFound)
    #expect(code { () throws(SegueError) in try Selection.only(of: [offer("1"), offer("2")]) } == .invalidArgument)
  }

  @Test func `a device is found by its name, its id, or the start of it`() throws {
    let devices = [
      device("wq3x-n5ab-7k2a", "kitchen"), device("beef-0000-1111", "laptop"), device("wq3x-aaaa", "beef"),
    ]
    #expect(try Selection.device("kitchen", among: devices).name == "kitchen")
    #expect(try Selection.device("WQ3XN5", among: devices).name == "kitchen")
    #expect(try Selection.device("wq3x-n5ab-7k2a", among: devices).name == "kitchen")
    #expect(code { () throws(SegueError) in try Selection.device("beef", among: devices) } == .invalidArgument)
    #expect(code { () throws(SegueError) in try Selection.device("wq3x", among: devices) } == .invalidArgument)
    #expect(code { () throws(SegueError) in try Selection.device("tv", among: devices) } == .notFound)
    // The advice says how each of two that are called alike is meant.
    let twins = [device("wq3x-n5ab-7k2a", "desk"), device("beef-0000-1111", "desk")]
    let error = #expect(throws: SegueError.self) { try Selection.device("desk", among: twins) }
    #expect(error?.advice == "Give the start of an id: wq3x-n5ab, or beef-0000.")
    #expect(try Selection.device("beef-0000", among: twins).id == "beef-0000-1111")
  }

  private func code<T>(_ body: () throws(SegueError) -> T) -> SegueError.Code? {
    do throws(SegueError) {
      _ = try body()
      return nil
    } catch { return error.code }
  }
}
