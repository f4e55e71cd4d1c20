import Foundation
import Glibc
import SegueCore
import SegueState
import Testing

@testable import SegueBridge

@Suite final class ConversationFileTests {
  private let root: String
  private let program: ConversationProgram
  private let id: ConversationID
  private static let start = "2026-11-28T03:02:05.353Z"

  init() throws {
    let made = try #require("/tmp/sg-talks-XXXXXX".withCString { strdup($0).flatMap { mkdtemp($0) } })
    defer { free(made) }
    root = String(cString: made)
    program = try #require(ConversationProgram.named("codex"))
    id = try #require(ConversationID("01a2201a-5121-7700"))
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func transcript(_ times: [String]) throws -> Transcript {
    let head =
      #"{"timestamp":"\#(Self.start)","payload":{"id":"\#(id.string)","timestamp":"\#(Self.start)","cwd":"/srv"}}"#
    let lines = [head] + times.map { #"{"timestamp":"\#($0)"}"# }
    return try Transcript(Array(lines.joined(separator: "\n").utf8), of: id, program)
  }

  private func put(_ transcript: Transcript) throws -> ConversationFile.Outcome {
    try ConversationFile.put(transcript, of: id, in: "/srv", program, below: root)
  }

  private var path: String { root + "/sessions/2026/11/28/rollout-2026-11-28T03-02-05-\(id.string).jsonl" }

  private func makeFolders(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  @Test func oneThatComesIsFiledForThisUserAlone() throws {
    #expect(try put(transcript([])) == .written)
    #expect(program.transcript(of: id, below: root) == path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try File.read(path) == transcript([]).bytes)
  }

  @Test func onlyTheBeginningIsReadForWhatItIsAbout() throws {
    #expect(ConversationFile.beginning(path, below: root) == nil)
    _ = try put(transcript([]))
    #expect(ConversationFile.beginning(path, below: root) == (try transcript([]).bytes))
    func write(_ size: Int) throws {
      let head = try transcript([]).bytes + [UInt8(ascii: "\n")]
      try File.replace(path, head + [UInt8](repeating: UInt8(ascii: "x"), count: size - head.count))
    }
    try write(Limits.conversationTranscript)
    let beginning = try #require(ConversationFile.beginning(path, below: root))
    #expect(beginning.count == Limits.conversationBeginning)
    #expect(Transcript.folder(beginning, of: id, program) == "/srv")
    try write(Limits.conversationTranscript + 1)
    #expect(ConversationFile.beginning(path, below: root) == nil && !ConversationFile.isFit(path))
  }

  @Test func oneThatGoesFurtherIsTaken() throws {
    _ = try put(transcript(["1"]))
    #expect(try put(transcript(["1", "2"])) == .written)
    #expect(try File.read(path) == transcript(["1", "2"]).bytes)
  }

  @Test func O2_aNewerOneHereStays() throws {
    _ = try put(transcript(["1", "2"]))
    #expect(try put(transcript(["1"])) == .stays)
    #expect(throws: SegueError.self) { try self.put(self.transcript(["1", "3"])) }
    #expect(try File.read(path) == transcript(["1", "2"]).bytes)
  }

  @Test func O5_noLinkLeadsOutOfTheFolder() throws {
    let outside = root + "/outside"
    try makeFolders(outside)
    try makeFolders(root + "/sessions/2026/11")
    #expect(symlink(outside, root + "/sessions/2026/11/28") == 0)
    #expect(throws: SegueError.self) { try self.put(self.transcript([])) }
    #expect(File.names(in: outside).count == 2)
  }

  @Test func O5_aLinkAtItsPlaceIsNotFollowed() throws {
    let other = root + "/other"
    try File.create(other, Array("mine".utf8))
    try makeFolders(root + "/sessions/2026/11/28")
    #expect(symlink(other, path) == 0)
    #expect(throws: SegueError.self) { try self.put(self.transcript([])) }
    #expect(try File.read(other) == Array("mine".utf8))
  }

  @Test func O5_aTranscriptBehindALinkIsNotRead() throws {
    let other = root + "-other"
    defer { unlink(other) }
    try File.create(other, transcript([]).bytes)
    try makeFolders(root + "/sessions/2026/11/28")
    #expect(symlink(other, path) == 0)
    #expect(try ConversationFile.read(path, below: root) == nil)
    #expect(try ConversationFile.read(other, below: root) == nil)
  }

  @Test func whatIsNoFileAtItsPlaceStays() throws {
    try makeFolders(path)
    #expect(throws: SegueError.self) { try self.put(self.transcript([])) }
  }

  // MARK: Clones

  private func clone(_ name: String, _ remote: String, branch: String = "main") throws -> String {
    let git = "\(root)/\(name)/.git"
    try makeFolders(git + "/refs/heads")
    try File.create(git + "/config", Array("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = \(remote)\n".utf8))
    try File.create(git + "/HEAD", Array("ref: refs/heads/\(branch)\n".utf8))
    try File.create(git + "/refs/heads/\(branch)", Array((String(repeating: "a", count: 40) + "\n").utf8))
    return "\(root)/\(name)"
  }

  @Test(arguments: [
    ("git@Example.org:team/project.git", "example.org/team/project"),
    ("https://me@example.org:8443/a/b/", "example.org/a/b"),
    ("ssh://git@example.org/~me/a.git", "example.org/~me/a"),
  ]) func aRepositoryHasOneName(remote: String, name: String) { #expect(GitFolder.repository(remote) == name) }

  @Test(arguments: ["/srv/git/a.git", "file:///srv/git/a", "ext::sh -c x", "host", "", "./a:b"])
  func whatIsNoRemoteHasNone(remote: String) { #expect(GitFolder.repository(remote) == nil) }

  @Test func aCloneIsReadWithoutGit() throws {
    let top = try clone("one", "git@example.org:team/project.git")
    try makeFolders(top + "/src")
    let folder = try #require(GitFolder(of: top + "/src"))
    #expect(folder.top == top && folder.path == "src" && folder.repository == "example.org/team/project")
    #expect(folder.branch == "main" && folder.head == String(repeating: "a", count: 40))
    #expect(GitFolder(of: "/proc") == nil)
  }

  @Test func theFolderIsFoundInAnotherClone() throws {
    _ = try clone("a/other", "git@example.org:team/other.git")
    let first = try clone("b/one", "https://example.org/team/project")
    let second = try clone("c/two", "git@example.org:team/project.git", branch: "work")
    try makeFolders(second + "/src")
    func here(_ more: [String: String] = [:], folder: String = "file:///nothing/here") throws -> String? {
      var entries: [Value: Value] = [
        .string("program"): .string("codex"), .string("session"): .string(id.string),
        .string("transcript"): .url("file:///a/b.jsonl"), .string("folder"): .url(folder),
      ]
      for (key, value) in more { entries[.string(key)] = .string(value) }
      return try #require(ConversationPlace(entries, of: program)).folderHere(home: root)
    }
    let repository = "example.org/team/project"
    #expect(try here() == nil && here(["repository": "example.org/none"]) == nil)
    #expect(try here(["repository": repository]) == first)
    #expect(try here(["repository": repository, "branch": "work", "path": "src"]) == second + "/src")
    for path in ["../../etc", "/etc", "src/..", "none"] {
      #expect(try here(["repository": repository, "branch": "work", "path": path]) == second)
    }
    // The folder of the same path is of another repository here.
    #expect(try here(["repository": repository], folder: "file://\(root)/a/other") == first)
    #expect(try here(folder: "file://\(root)/a/other") == root + "/a/other")
  }

  @Test func noMoreFoldersThanTheLimit() throws {
    for number in 0...Limits.conversationFolders { try makeFolders("\(root)/\(100_000 + number)") }
    _ = try clone("last", "https://example.org/team/project")
    #expect(GitFolder.clones(of: "example.org/team/project", below: root).isEmpty)
  }

  @Test(arguments: [
    ["program": "claude-code"], ["program": "/bin/sh"], ["session": "--resume"], ["session": "../01234567"],
    ["transcript": ""],
  ]) func O5_whatIsNoConversationIsRefused(_ change: [String: String]) {
    var entries: [Value: Value] = [
      .string("program"): .string("codex"), .string("session"): .string(id.string),
      .string("transcript"): .url("file:///a/b.jsonl"),
    ]
    #expect(ConversationPlace(entries, of: program) != nil)
    for (key, value) in change { entries[.string(key)] = key == "transcript" ? .url("http://x/") : .string(value) }
    #expect(ConversationPlace(entries, of: program) == nil)
  }
}
