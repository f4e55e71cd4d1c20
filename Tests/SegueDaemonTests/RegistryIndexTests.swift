import SegueCore
import SegueEngine
import Testing

@Suite struct RegistryIndexTests {
  private func application(_ id: String, _ types: [String]) throws -> InstalledApplication {
    InstalledApplication(
      appID: try appID(id), name: id, desktopFile: "/\(id)", tier: .user,
      activityTypes: types.compactMap { ActivityType($0) })
  }

  private func index() throws -> ApplicationIndex {
    var index = ApplicationIndex()
    for (id, types) in [("c.C", ["t.one"]), ("a.A", ["t.one", "t.two"]), ("b.B", ["t.two", "t.two"])] {
      index.set(try appID(id), to: try application(id, types))
    }
    return index
  }

  @Test func V10_severalClaimOneType() throws {
    var index = try index()
    let one = try #require(ActivityType("t.one"))
    #expect(index.applications(claiming: one).map(\.name) == ["a.A", "c.C"])
    let other = try application("a.A", ["t.three"])
    #expect(index.set(try appID("a.A"), to: other))
    #expect(!index.set(try appID("a.A"), to: other))
    #expect(index.applications(claiming: one).map(\.name) == ["c.C"])
    #expect(index.set(try appID("c.C"), to: nil))
    #expect(index.applications(claiming: one).isEmpty)
    #expect(index.appIDs.map(\.string) == ["a.A", "b.B"])
    #expect(index.application(try appID("c.C")) == nil)
  }
}
