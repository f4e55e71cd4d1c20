import Glibc
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

/// Many files that change at once: each turn of the loop takes some of them.
@Suite struct RegistryTurnTests {
  let folder: RegistryFolder

  init() throws { folder = try RegistryFolder() }

  private func write(_ count: Int, in path: String) {
    for number in 0..<count {
      folder.write("\(path)/com.example.App\(number).desktop", RegistryFolder.desktop())
    }
  }

  /// How many applications are known after each turn, until all files are read.
  private func turns(_ registry: Registry) -> [Int] {
    var known: [Int] = []
    repeat {
      registry.process()
      known.append(registry.index.count)
    } while registry.isBehind
    return known
  }

  @Test func filesOfATurn() throws {
    folder.makeFolder("system/applications")
    let registry = try Registry(folder.settings) { _ in }
    var changes: [Int] = []
    registry.onChange = { changes.append($0.count) }
    write(Limits.declarationsPerTurn, in: "system/applications")
    #expect(turns(registry) == [Limits.declarationsPerTurn])
    folder.remove("system/applications")
    #expect(registry.settle { registry.ids == [] })
    folder.makeFolder("system/applications")
    registry.process()
    changes = []
    write(Limits.declarationsPerTurn + 1, in: "system/applications")
    #expect(turns(registry) == [Limits.declarationsPerTurn, Limits.declarationsPerTurn + 1])
    #expect(changes == [Limits.declarationsPerTurn + 1])
  }

  /// A folder that comes as a whole, and goes.
  @Test func namesOfATurn() throws {
    folder.makeFolder("system/applications")
    write(3 * Limits.declarationsPerTurn, in: "aside")
    let registry = try Registry(folder.settings) { _ in }
    folder.move("aside", to: "system/applications/a.b")
    #expect(turns(registry) == [1, 2, 3].map { $0 * Limits.declarationsPerTurn })
    folder.move("system/applications/a.b", to: "aside")
    #expect(turns(registry) == [2, 1, 0].map { $0 * Limits.declarationsPerTurn })
  }

  @Test func whatHappensMeanwhileIsSeen() throws {
    folder.makeFolder("system/applications")
    write(2 * Limits.declarationsPerTurn, in: "aside")
    let registry = try Registry(folder.settings) { _ in }
    folder.move("aside", to: "system/applications/a.b")
    registry.process()
    #expect(registry.isBehind)
    folder.move("system/applications/a.b", to: "aside")
    folder.write("system/applications/com.example.Late.desktop", RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["com.example.Late"] })
    #expect(!registry.isBehind)
  }

  /// A file that waits is gone with its folder, and what is found there through a link is not taken.
  @Test func aFolderThatIsALinkByNow() throws {
    folder.makeFolder("system/applications")
    write(2 * Limits.declarationsPerTurn, in: "system/applications/a.b")
    let registry = try Registry(folder.settings) { _ in }
    #expect(registry.index.count == 2 * Limits.declarationsPerTurn)
    folder.move("system/applications/a.b", to: "aside")
    folder.link("system/applications/a.b", to: folder.absolute("aside"))
    #expect(registry.settle { registry.ids == [] })
  }

  /// An application that registers does not wait for the other declarations either.
  @Test func anApplicationThatRegistersIsReadFirst() throws {
    folder.makeFolder("home/.local/share/applications")
    let registry = try Registry(folder.settings) { _ in }
    var changes: [Set<AppID>] = []
    registry.onChange = { changes.append($0) }
    write(4 * Limits.declarationsPerTurn, in: "home/.local/share/applications")
    registry.process()
    let number = try #require(
      (0..<4 * Limits.declarationsPerTurn).first {
        AppID("com.example.App\($0)").map(registry.application) == .some(nil)
      })
    let id = try appID("com.example.App\(number)")
    registry.catchUp(with: id)
    #expect(registry.application(id) != nil)
    #expect(changes.count == 1 && changes[0].contains(id))
    #expect(registry.index.count == Limits.declarationsPerTurn + 1)
    #expect(registry.settle { !registry.isBehind })
    #expect(registry.index.count == 4 * Limits.declarationsPerTurn)
  }
}
