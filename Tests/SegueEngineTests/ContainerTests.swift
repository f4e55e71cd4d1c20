import SegueCore
import SegueEngine
import Testing

struct ContainerTests {
  @Test(arguments: [
    "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a/../b", "a\0b", "a/..\0",
    String(repeating: "n", count: 256), String(repeating: "a/", count: 64) + "a",
    String(repeating: String(repeating: "n", count: 255) + "/", count: 16) + "a",
  ])
  func R8_pathsThatLeadOut(_ path: String) {
    #expect(ContainerPath(path) == nil)
  }

  @Test(arguments: ["a", "a/b", "...", ".a", "a..", "..a/ b", "é", String(repeating: "a/", count: 63) + "a"])
  func R8_pathsThatDoNot(_ path: String) {
    #expect(ContainerPath(path)?.string == path)
    #expect(ContainerPath(path)?.elements.joined(separator: "/") == path)
  }

  @Test func R8_whatAContainerIs() {
    #expect(Container(id: "a", path: "/home/u/a/")?.path == "/home/u/a")
    #expect(Container(id: "", path: "/a") == nil)
    #expect(Container(id: "a\n", path: "/a") == nil)
    #expect(Container(id: String(repeating: "a", count: 256), path: "/a") == nil)
    for path in ["", "/", "a", "/a/../b"] { #expect(Container(id: "a", path: path) == nil) }
  }

  private func table(_ entries: KeyValuePairs<String, String>) -> ContainerTable {
    ContainerTable(entries.compactMap { Container(id: $0.key, path: $0.value) })
  }

  @Test func R8_theInnermostContainerWins() {
    let table = table(["outer": "/u/s", "inner": "/u/s/deep", "same": "/u/s/deep", "beside": "/u/sync"])
    #expect(table.problems.isEmpty)
    let found = { (path: String) in table.container(for: path).map { "\($0.container.id) \($0.path.string)" } }
    #expect(found("/u/s/a") == "outer a")
    #expect(found("/u/s/deep/a/b") == "inner a/b")
    #expect(found("/u/s/deeper") == "outer deeper")
    #expect(found("/u/sync/a") == "beside a")
    // A container is not in itself, but in another.
    #expect(found("/u/s/deep") == "outer deep")
    #expect(found("/u/s") == nil)
    #expect(found("/u/s/") == nil)
    #expect(found("/u/s/../x") == nil)
    #expect(found("/u/x") == nil)
  }

  /// Files have names of any bytes but NUL and the slash, and an id may turn the direction of text.
  @Test func whatIsLeftOutIsToldWithoutControls() {
    let table = table(["a\u{202E}": "/one\u{1B}[1m", "a\u{202E}": "/\u{7F}t\nwo"])
    #expect(table.problems == ["The container a is /one[1m, so not /t wo too."])
  }

  @Test func R8_ofOneIdTheFirstCounts() {
    let table = table(["a": "/one", "b": "/two", "a": "/three", "b": "/two"])
    #expect(table.containers.map(\.path) == ["/one", "/two"])
    #expect(table.problems == ["The container a is /one, so not /three too."])
    #expect(table.container("a")?.path == "/one")
    #expect(table.container("c") == nil)
    // Two forms of one letter are two names, to files as to ids.
    #expect(self.table(["\u{E9}": "/one", "e\u{301}": "/two"]).containers.count == 2)
  }

  @Test func R8_thereIsABound() {
    let many = (0...Limits.containers).compactMap { Container(id: "\($0)", path: "/\($0)") }
    let most = ContainerTable(Array(many.dropLast()))
    #expect(most.containers.count == Limits.containers && most.problems.isEmpty)
    let table = ContainerTable(many)
    #expect(table.containers.count == Limits.containers)
    #expect(table.problems.count == 1)
  }

  @Test func pathsAreComparedByTheirBytes() {
    #expect(ContainerPath("\u{E9}") != ContainerPath("e\u{301}"))
  }
}
