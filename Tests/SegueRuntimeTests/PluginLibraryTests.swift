import Glibc
import SegueCore
import Testing

@testable import SegueRuntime

/// Real libraries, loaded. One after the other: what is to be seen is whose descriptor has a number by now.
@Suite(.serialized) struct PluginLibraryTests {
  let tree: PluginTree

  init() throws { tree = try PluginTree() }

  @Test func attack47_exchangedAfterTheCheck() throws {
    try tree.compile(PluginTree.library, returning: 1)
    try tree.compile("evil.so", returning: 2)
    let file = try tree.open()
    tree.move("evil.so", to: PluginTree.library)
    #expect(try which(file) == 1)
  }

  @Test func attack47_removedAfterTheCheck() throws {
    try tree.compile(PluginTree.library, returning: 1)
    let file = try tree.open()
    tree.remove(PluginTree.library)
    #expect(try which(file) == 1)
  }

  /// Only the library keeps the file open: the number of its descriptor must not go to the next file.
  @Test func oneAfterTheOther() throws {
    for number in 1...5 {
      try tree.compile("new.so", returning: number)
      tree.move("new.so", to: PluginTree.library)
      #expect(try which(try tree.open()) == number)
    }
  }

  @Test func onceMore() throws {
    try tree.compile(PluginTree.library, returning: 1)
    let first = try tree.open()
    let library = try PluginLibrary.load(first)
    let second = try tree.open()
    #expect(try PluginLibrary.load(second) == library)
    // Only the first is kept.
    withExtendedLifetime(second) {}
  }

  @Test func noLibrary() throws {
    let file = try tree.open()
    let error = try #require(throws: SegueError.self) { try PluginLibrary.load(file) }
    #expect(error.code == .pluginFailed)
    #expect(error.message == "\(tree.absolute(PluginTree.library)) cannot be loaded: file too short")
    // Mended, it is loaded.
    try tree.compile(PluginTree.library, returning: 7)
    #expect(try which(try tree.open()) == 7)
  }

  private func which(_ file: PluginFile) throws -> Int {
    let symbol = try #require(dlsym(try PluginLibrary.load(file), "which"))
    return Int(unsafeBitCast(symbol, to: (@convention(c) () -> CInt).self)())
  }
}
