import Glibc
import SegueCore
import SegueState

/// A conversation of another device (`org.segue.open.Conversation`), checked.
struct ConversationPlace: Equatable {
  let id: ConversationID
  /// The address of the file that is to be brought, which names it to the other device alone.
  let transcript: String
  let folder: FileURL?
  let repository: String?
  /// The folder in the repository; empty for the repository itself.
  let path: String
  let branch: String?

  /// Nil where it is of another program, or lacks something.
  init?(_ userInfo: [Value: Value], of program: ConversationProgram) {
    func text(_ key: String) -> String? {
      guard case .string(let text) = userInfo[.string(key)], text.utf8.count <= Limits.bridgeText, !hasControls(text)
      else { return nil }
      return text
    }
    guard text("program") == program.name, let id = text("session").flatMap({ ConversationID($0) }),
      case .url(let transcript) = userInfo[.string("transcript")], FileURL(transcript) != nil
    else { return nil }
    (self.id, self.transcript) = (id, transcript)
    if case .url(let url) = userInfo[.string("folder")] { folder = FileURL(url) } else { folder = nil }
    repository = text("repository")
    path = text("path") ?? ""
    branch = text("branch")
  }

  /// The folder on this device: that of the same path below the home folder; otherwise the same one in another clone there,
  /// on the same branch if there is one; otherwise that of the same path elsewhere. A folder of the same path has to be in
  /// the same repository, if in any. Nil where there is none.
  func folderHere(home: String) -> String? {
    let same = folder.flatMap { isTheSame($0) ? $0.path : nil }
    if let same, same.begins(with: home + "/") { return same }
    guard let repository else { return same }
    let clones = GitFolder.clones(of: repository, below: home)
    guard let clone = clones.first(where: { $0.branch == branch }) ?? clones.first else { return same }
    // The whole path has no element that leads out of the clone.
    guard !path.isEmpty, let inside = FileURL(path: clone.top + "/" + path), OpenAddress.file(inside).isFolder else {
      return clone.top
    }
    return inside.path
  }

  private func isTheSame(_ folder: FileURL) -> Bool {
    guard OpenAddress.file(folder).isFolder else { return false }
    return repository == nil || GitFolder(of: folder.path)?.repository == repository
  }
}
