import Glibc
import SegueCore
import SegueState

/// An assistant in a terminal: where its transcripts lie, and how a conversation is resumed. All of it is ours.
struct ConversationProgram: Sendable {
  /// The way in which transcripts are filed below the program's folder.
  enum Filing: Sendable {
    /// `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`, by the time at which the conversation began.
    case byDay
    /// `projects/FOLDER/ID.jsonl`, by the project's folder, in which all but letters and digits are hyphens.
    case byFolder
  }

  /// The `program` of the open type.
  let name: String
  /// The environment variable that names its folder, and that folder in the home folder otherwise.
  let variable: String
  let home: String
  let filing: Filing
  /// The key of a conversation's id in a line of history.jsonl, to which the program adds one with all that its user says.
  let historyKey: String
  /// The keys of the id in a transcript's first line: one of them has it.
  let idKeys: [String]
  /// The arguments before the id; the folder follows `here`. Seen of Codex 0.163: it takes sandbox, approval and who
  /// approves from the transcript, so that another device could choose them; each of the three has to be named.
  let arguments: [String]

  private static let here = "--cd"

  static let all = [
    ConversationProgram(
      name: "codex", variable: "CODEX_HOME", home: ".codex", filing: .byDay, historyKey: "session_id",
      idKeys: ["id", "session_id"],
      arguments: [
        "resume", here, "--sandbox", "read-only", "--ask-for-approval", "on-request", "--config",
        #"approvals_reviewer="user""#,
      ]),
    // By what its documentation says; not tried.
    ConversationProgram(
      name: "claude-code", variable: "CLAUDE_CONFIG_DIR", home: ".claude", filing: .byFolder,
      historyKey: "sessionId", idKeys: ["sessionId"], arguments: ["--permission-mode", "default", "--resume"]),
  ]

  static func named(_ name: String) -> ConversationProgram? { all.first { $0.name == name } }

  /// The command that resumes a conversation in a folder of this device; the id is all that comes from another one.
  func command(_ program: String, resuming id: ConversationID, in folder: String) -> [String] {
    ["/usr/bin/env", "-C", folder, program] + arguments.flatMap { $0 == Self.here ? [$0, folder] : [$0] } + [id.string]
  }

  /// The program's own folder, links followed; nil where there is none yet.
  var folder: String? {
    let named = environment(variable).flatMap { $0.begins(with: "/") ? $0 : nil }
    guard let path = named ?? environment("HOME").map({ $0 + "/" + home }), let real = realpath(path, nil) else {
      return nil
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// The same, made where the program has not run yet.
  func madeFolder() throws(SegueError) -> String? {
    if let folder { return folder }
    guard let home = environment("HOME") else { return nil }
    try File.makeParents(of: home + "/" + self.home + "/x")
    return folder
  }

  // MARK: Transcripts

  /// The path of a conversation's transcript below the program's folder; nil where that has none.
  func transcript(of id: ConversationID, below folder: String) -> String? {
    switch filing {
    case .byDay: find("-\(id.string).jsonl", below: folder + "/sessions", depth: 3)
    case .byFolder: find("\(id.string).jsonl", below: folder + "/projects", depth: 1)
    }
  }

  /// The last entry whose name ends so, in folders of this depth, the last ones first.
  private func find(_ end: String, below folder: String, depth: Int) -> String? {
    for name in File.names(in: folder).reversed() where name != "." && name != ".." {
      if depth == 0 {
        let isWhole = filing == .byDay ? name.begins(with: "rollout-") : name.isSame(as: end)
        if isWhole, name.ends(with: end) { return folder + "/" + name }
      } else if let found = find(end, below: folder + "/" + name, depth: depth - 1) {
        return found
      }
    }
    return nil
  }

  /// The names of folders and file below the program's folder at which a transcript that comes is filed; nil where its
  /// time is none.
  func place(of transcript: Transcript, _ id: ConversationID, in folder: String) -> [String]? {
    switch filing {
    case .byFolder:
      let name = folder.utf8.map { Self.isPlain($0) ? $0 : UInt8(ascii: "-") }
      return ["projects", String(decoding: name, as: UTF8.self), id.string + ".jsonl"]
    case .byDay:
      // 2026-11-28T03:02:05.353Z
      guard let start = transcript.start else { return nil }
      let parts = start.rest(before: "Z")?.parts(at: ".").first?.parts(at: "T") ?? []
      guard parts.count == 2 else { return nil }
      let (day, time) = (parts[0].parts(at: "-"), parts[1].parts(at: ":"))
      guard day.map(\.utf8.count) == [4, 2, 2], time.map(\.utf8.count) == [2, 2, 2],
        (day + time).allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
      else { return nil }
      let stamp = day.joined(separator: "-") + "T" + time.joined(separator: "-")
      return ["sessions"] + day + ["rollout-\(stamp)-\(id.string).jsonl"]
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}

/// The id of a conversation: 8 to 64 hexadecimal digits and hyphens, no hyphen first, so that it is no option and no path.
struct ConversationID: Equatable, Sendable {
  let string: String

  init?(_ string: String) {
    guard (8...64).contains(string.utf8.count), string.utf8.first != UInt8(ascii: "-"),
      string.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.string = string
  }
}
