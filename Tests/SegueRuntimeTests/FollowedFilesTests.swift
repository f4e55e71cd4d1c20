import Foundation
import SegueCore
import Testing

@testable import SegueRuntime

/// Documents whose files other programs rename and move, in a folder of the test's own.
@Suite final class FollowedFilesTests {
  private let offline: Offline
  private let folder: String

  init() throws {
    offline = try Offline()
    let made = FileManager.default.temporaryDirectory.appendingPathComponent("segue-follow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    folder = made.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private final class Told { var urls: [String] = [] }

  private func write(_ name: String, _ text: String = "milk") throws {
    let path = "\(folder)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func move(_ name: String, _ other: String) throws {
    #expect(rename("\(folder)/\(name)", "\(folder)/\(other)") == 0)
  }

  /// A document at the name, and what its owner is told.
  private func open(_ name: String) throws -> (document: Document, told: Told) {
    let told = Told()
    let document = try offline.document { told.urls.append(String(cString: $1.pointer)) }
    try document.setURL(FileURL(path: "\(folder)/\(name)"))
    return (document, told)
  }

  /// Waits until the document is at the name.
  private func expect(_ document: Document, at name: String) {
    let path = "\(folder)/\(name)"
    for _ in 0..<300 where document.url?.path != path { _ = offline.application.wait(milliseconds: 100) }
    #expect(document.url?.path == path)
  }

  /// Waits until whatever has happened so far has been looked at: what happens to another file afterwards has.
  private func settle() throws {
    try write("marker")
    let (marker, _) = try open("marker")
    try move("marker", "marked")
    expect(marker, at: "marked")
    marker.close()
    try FileManager.default.removeItem(atPath: "\(folder)/marked")
  }

  @Test func R7_aFileThatIsRenamedIsFollowed() throws {
    try write("draft.txt")
    let (document, told) = try open("draft.txt")
    try move("draft.txt", "a list.txt")
    expect(document, at: "a list.txt")
    #expect(told.urls == ["file://\(folder)/a%20list.txt"])
    // And again.
    try write("sub/other.txt")
    try move("a list.txt", "sub/list.txt")
    expect(document, at: "sub/list.txt")
    #expect(told.urls.count == 2)
  }

  @Test func R7_aFolderAboveItIsMoved() throws {
    try write("one/two/list.txt")
    let (document, told) = try open("one/two/list.txt")
    try move("one", "first")
    expect(document, at: "first/two/list.txt")
    #expect(told.urls.count == 1)
  }

  @Test func R7_theNameOfTheFolderStays() throws {
    try write("real/list.txt")
    #expect(symlink("\(folder)/real", "\(folder)/link") == 0)
    let (document, _) = try open("link/list.txt")
    try move("real/list.txt", "real/shopping.txt")
    expect(document, at: "link/shopping.txt")
  }

  @Test func R7_whoSavesMayMoveTheFileAwayFirst() throws {
    try write("list.txt")
    let (document, told) = try open("list.txt")
    // As an editor that keeps the former state, and one that writes beside the file.
    try move("list.txt", "list.txt~")
    try write("list.txt", "milk, bread")
    try settle()
    try write(".list.txt.new", "milk, bread, tea")
    try move(".list.txt.new", "list.txt")
    try settle()
    #expect(document.url?.path == "\(folder)/list.txt" && told.urls.isEmpty)
    // The file that has the name now is the one that is followed.
    try move("list.txt", "shopping.txt")
    expect(document, at: "shopping.txt")
  }

  @Test func R7_aFileThatIsRemovedAndComesBack() throws {
    try write("list.txt")
    let (document, told) = try open("list.txt")
    #expect(unlink("\(folder)/list.txt") == 0)
    try settle()
    #expect(document.url?.path == "\(folder)/list.txt" && told.urls.isEmpty)
    try write("list.txt", "anew")
    try settle()
    try move("list.txt", "again.txt")
    expect(document, at: "again.txt")
  }

  @Test func R7_aClosedDocumentIsNotFollowed() throws {
    try write("list.txt")
    let (document, told) = try open("list.txt")
    document.close()
    try move("list.txt", "other.txt")
    try settle()
    #expect(document.url?.path == "\(folder)/list.txt" && told.urls.isEmpty)
  }

  @Test func R7_whatTheApplicationSaysCounts() throws {
    try write("list.txt")
    let (document, told) = try open("list.txt")
    try write("other.txt")
    try move("list.txt", "moved.txt")
    try document.setURL(FileURL(path: "\(folder)/other.txt"))
    try settle()
    #expect(document.url?.path == "\(folder)/other.txt" && told.urls.isEmpty)
  }

  @Test func R7_soManyDocumentsAreFollowed() throws {
    var documents: [Document] = []
    for number in 0...Limits.followedDocuments {
      try write("\(number).txt")
      documents.append(try open("\(number).txt").document)
    }
    try move("\(Limits.followedDocuments).txt", "beyond.txt")
    try move("\(Limits.followedDocuments - 1).txt", "last.txt")
    expect(documents[Limits.followedDocuments - 1], at: "last.txt")
    #expect(documents[Limits.followedDocuments].url?.path == "\(folder)/\(Limits.followedDocuments).txt")
    // With one that is closed there is room.
    documents[0].close()
    try write("more.txt")
    let more = try open("more.txt").document
    try move("more.txt", "most.txt")
    expect(more, at: "most.txt")
  }

  @Test func R7_soManyFoldersAboveAreWatched() throws {
    let names = (0...Limits.followedFolders).map { "\($0)" }
    let path = names.joined(separator: "/")
    try write(path + "/list.txt")
    let (document, told) = try open(path + "/list.txt")
    // The one further up than those that are watched.
    try move("0", "top")
    try settle()
    #expect(told.urls.isEmpty)
    try move("top/1", "top/one")
    expect(document, at: "top/one/" + names.dropFirst(2).joined(separator: "/") + "/list.txt")
  }
}
