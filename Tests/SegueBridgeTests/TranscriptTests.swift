import SegueCore
import Testing

@testable import SegueBridge

@Suite struct TranscriptTests {
  private static let id = "01a2201a-5121-7700-9cff-a14a3f6c6f5a"

  private let codex: ConversationProgram
  private let claude: ConversationProgram
  private let id: ConversationID

  init() throws {
    codex = try #require(ConversationProgram.named("codex"))
    claude = try #require(ConversationProgram.named("claude-code"))
    id = try #require(ConversationID(Self.id))
  }

  private func lines(_ folder: String = "/srv/me/project", of id: String = id, _ more: [String] = []) -> String {
    ([
      #"{"timestamp":"2026-11-28T03:02:05.386Z","type":"session_meta","payload":{"id":"\#(id)","timestamp":"2026-11-28T03:02:05.353Z","cwd":"\#(folder)"}}"#,
      #"{"timestamp":"2026-11-28T03:02:06.000Z","type":"turn_context","payload":{"cwd":"\#(folder)"}}"#,
    ] + more).joined(separator: "\n") + "\n"
  }

  private func transcript(_ text: String) throws -> Transcript { try Transcript(Array(text.utf8), of: id, codex) }

  private func text(_ transcript: Transcript) -> String { String(decoding: transcript.bytes, as: UTF8.self) }

  // MARK: The id

  @Test(arguments: [
    "--resume", "-1234567", "../01234567", "0123456", "01234567/", "01234567 ", "0123456G", "ABCDEF01", "0123456\n7",
    "",
    String(repeating: "a", count: 65),
  ]) func O5_anIDIsNoOptionAndNoPath(_ text: String) { #expect(ConversationID(text) == nil) }

  @Test func anIDIsDigitsAndHyphens() {
    #expect(ConversationID(Self.id)?.string == Self.id)
    #expect(ConversationID("01234567") != nil && ConversationID(String(repeating: "a", count: 64)) != nil)
  }

  // MARK: The command

  @Test func O5_codexTakesNoPermissionFromATranscript() {
    #expect(
      codex.command("/bin/codex", resuming: id, in: "/srv/me/project") == [
        "/usr/bin/env", "-C", "/srv/me/project", "/bin/codex", "resume", "--cd", "/srv/me/project", "--sandbox",
        "read-only", "--ask-for-approval", "on-request", "--config", #"approvals_reviewer="user""#, Self.id,
      ])
    #expect(
      claude.command("/bin/claude", resuming: id, in: "/srv") == [
        "/usr/bin/env", "-C", "/srv", "/bin/claude", "--permission-mode", "default", "--resume", Self.id,
      ])
  }

  // MARK: The file

  @Test func itsBeginningSaysItsFolder() {
    func folder(_ text: String, _ program: ConversationProgram? = nil) -> String? {
      Transcript.folder(Array(text.utf8), of: id, program ?? codex)
    }
    #expect(folder(lines()) == "/srv/me/project")
    // The rest is not looked at, and may be cut off.
    #expect(folder(lines() + #"{"timestamp":"2026"#) == "/srv/me/project")
    let claudes =
      #"{"sessionId":"\#(Self.id)","type":"summary"}"# + "\n" + #"{"sessionId":"\#(Self.id)","cwd":"/srv/it"}"#
    #expect(folder(claudes, claude) == "/srv/it")
    for other in ["", "x", "[]\n" + lines(), lines("/srv", of: "01234567-0000"), #"{"payload":{"cwd":"/srv"}}"#] {
      #expect(folder(other) == nil)
    }
  }

  @Test func aTranscriptSaysWhatItIsAbout() throws {
    let transcript = try transcript(lines())
    #expect(transcript.folder == "/srv/me/project" && transcript.times.count == 2)
    #expect(
      codex.place(of: transcript, id, in: "/x") == [
        "sessions", "2026", "11", "28", "rollout-2026-11-28T03-02-05-\(Self.id).jsonl",
      ])
    #expect(
      claude.place(of: transcript, id, in: "/srv/my.project") == ["projects", "-srv-my-project", Self.id + ".jsonl"])
  }

  @Test(arguments: ["", "../../../../x", "2026-11-28T03:02", "2026-11-28T03:02:0/Z", "20266-11-28T03:02:05Z"])
  func O5_aTimeThatIsNoneNamesNoFile(_ time: String) throws {
    let line = #"{"timestamp":"\#(time)","type":"session_meta","payload":{"id":"\#(Self.id)","timestamp":"\#(time)"}}"#
    #expect(codex.place(of: try transcript(line), id, in: "/x") == nil)
  }

  @Test(arguments: ["", "no JSON", "[1]", "{}", "{\"id\":3}", "\u{0}"]) func whatIsNoTranscriptIsRefused(_ text: String)
  {
    #expect(throws: SegueError.self) { try self.transcript(text) }
  }

  @Test func aTranscriptOfAnotherConversationIsRefused() {
    #expect(throws: SegueError.self) { try self.transcript(self.lines(of: "99999999")) }
  }

  @Test func aTranscriptThatIsTooLargeOrTooDeepIsRefused() {
    let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: Limits.conversationTranscript + 1)
    #expect(throws: SegueError.self) { try Transcript(bytes, of: self.id, self.codex) }
    let deep =
      String(repeating: "[", count: Limits.conversationDepth) + String(repeating: "]", count: Limits.conversationDepth)
    #expect(throws: SegueError.self) { try self.transcript(self.lines("/srv", [#"{"a":\#(deep)}"#])) }
  }

  // MARK: Folders

  /// Lines and tabs that programs write are escapes in JSON; an escaped backslash is none.
  @Test func aPathBehindAnEscapeIsAPath() throws {
    let line = #"{"text":"a\n/srv/me/project/b\t/srv/me/project\u0020/srv/me/project \\n/srv/me/project"}"#
    let moved = try transcript(lines("/srv/me/project", [line])).moved(to: "/h")
    #expect(
      text(moved).parts(at: "\n").last == #"{"text":"a\n/h/b\t/h\u0020/h \\n/srv/me/project"}"#)
  }

  @Test func itsFolderBecomesTheOneHere() throws {
    let line = #"{"text":"/srv/me/project/a.c /srv/me/project-2 /x/srv/me/project \"/srv/me/project\""}"#
    let moved = try transcript(lines("/srv/me/project", [line])).moved(to: "/home/m/a \"b\"")
    let here = #"/home/m/a \"b\""#
    #expect(
      text(moved).parts(at: "\n").last
        == #"{"text":"\#(here)/a.c /srv/me/project-2 /x/srv/me/project \"\#(here)\""}"#)
    #expect(try transcript(text(moved)).folder == "/home/m/a \"b\"")
    #expect(try transcript(text(moved)).otherFolders(than: "/home/m/a \"b\"").isEmpty)
    // And back.
    #expect(
      try transcript(text(moved)).moved(to: "/srv/me/project").bytes == Array(lines("/srv/me/project", [line]).utf8))
  }

  @Test(arguments: ["/", "relative", "/a/../b", ""]) func aFolderThatIsNoneReplacesNothing(_ folder: String) throws {
    let transcript = try transcript(lines(folder))
    #expect(transcript.moved(to: "/home/m") == transcript)
  }

  @Test func otherFoldersAreTold() throws {
    let more = [
      #"{"type":"turn_context","payload":{"cwd":"/srv/me/other"}}"#, #"{"payload":{"cwd":"/srv/me/project/in"}}"#,
    ]
    #expect(try transcript(lines("/srv/me/project", more)).otherFolders(than: "/srv/me/project") == ["/srv/me/other"])
  }

  // MARK: Which one is newer

  @Test func theOneThatGoesFurtherContinuesTheOther() throws {
    let short = try transcript(lines())
    let long = try transcript(lines("/home/x", [#"{"timestamp":"2026-11-28T04:00:00.000Z"}"#]))
    let other = try transcript(lines("/home/x", [#"{"timestamp":"2026-11-28T05:00:00.000Z"}"#]))
    #expect(long.continues(short) && !short.continues(long) && short.continues(short))
    #expect(!long.continues(other) && !other.continues(long))
  }
}
