import Foundation
import SegueCore
import Testing

@testable import SegueBus

/// Which program a process is, by the path that it was started by.
final class ProgramPathTests {
  private let folder: String

  init() throws {
    let made = FileManager.default.temporaryDirectory.appendingPathComponent("segue-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    let real = try #require(realpath(made.path, nil))
    folder = String(cString: real)
    free(real)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func link(_ name: String, to target: String) throws -> String {
    let path = folder + "/" + name
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    return path
  }

  @Test(arguments: ProgramName.allCases)
  func aNameSaysWhichProgramItIs(_ program: ProgramName) throws {
    let path = try #require(ProgramPath(of: link(program.rawValue, to: "segue-programs")))
    #expect(path.program == program)
    #expect(path.string == "\(folder)/\(program.rawValue)")
    #expect(path.folder == folder)
  }

  @Test func aLinkOfTheUsersOwnIsFollowed() throws {
    let program = try link("segue-shell", to: "segue-programs")
    _ = try link("second", to: program)
    let path = try #require(ProgramPath(of: link("first", to: "second")))
    #expect(path.program == .shell && path.string == program)
  }

  /// A user's own link may be called as the program is, which says nothing of where its neighbours are.
  @Test func aLinkOfTheSameNameIsFollowed() throws {
    let program = try link("segue", to: "segue-programs")
    try FileManager.default.createDirectory(atPath: folder + "/own", withIntermediateDirectories: false)
    let path = try #require(ProgramPath(of: link("own/segue", to: program)))
    #expect(path.string == program && path.folder == folder)
    #expect(try ProgramPath(of: link("own/segued", to: "../segue"))?.program == .commandLine)
  }

  @Test func directoriesAreFreeOfLinks() throws {
    let elsewhere = try link("bin", to: ".")
    _ = try link("segued", to: "segue-programs")
    #expect(ProgramPath(of: elsewhere + "/segued")?.folder == folder)
    #expect(ProgramPath(of: elsewhere + "/../\((folder as NSString).lastPathComponent)/segued")?.folder == folder)
  }

  @Test func otherNamesAreNone() throws {
    #expect(ProgramPath(of: folder + "/segue-programs") == nil)
    #expect(ProgramPath(of: try link("other", to: "segue-programs")) == nil)
    #expect(ProgramPath(of: folder + "/nowhere/other") == nil)
    #expect(ProgramPath(of: "") == nil)
  }

  @Test func linksThatLeadInACircleEnd() throws {
    _ = try link("one", to: "two")
    #expect(ProgramPath(of: try link("two", to: "one")) == nil)
  }
}
