import Glibc
import SegueBus
import SegueCore
import SegueState

/// The file of a conversation's transcript in the program's own folder.
enum ConversationFile {
  enum Outcome: Equatable {
    case written
    /// The one here goes further, or is the same: it stays.
    case stays
  }

  /// Files a transcript that has come. Throws the reason, as the end of a sentence, where the one here is of another
  /// course, or something on the way is no folder of the program's.
  static func put(
    _ transcript: Transcript, of id: ConversationID, in folder: String, _ program: ConversationProgram,
    below root: String
  ) throws(SegueError) -> Outcome {
    if let path = program.transcript(of: id, below: root) {
      guard let bytes = try read(path, below: root) else {
        throw SegueError(.accessDenied, "its transcript here is not a regular file in the program's folder")
      }
      let here = try Transcript(bytes, of: id, program)
      if here.continues(transcript) { return .stays }
      guard transcript.continues(here) else {
        throw SegueError(.handoffFailed, "it went on here too, and is not overwritten")
      }
      try write(transcript.bytes, path)
      return .written
    }
    guard let names = program.place(of: transcript, id, in: folder), let name = names.last else {
      throw SegueError(.invalidArgument, "its transcript does not say when it began")
    }
    var path = root
    for name in names.dropLast() {
      path += "/" + name
      guard mkdir(path, 0o700) == 0 || errno == EEXIST, isOwn(path, S_IFDIR) else {
        throw SegueError(.accessDenied, "there is no folder for its transcript: \(DisplayText.quoted(path))")
      }
    }
    var status = stat()
    guard lstat(path + "/" + name, &status) != 0 else {
      throw SegueError(.accessDenied, "something else is at the place of its transcript")
    }
    try write(transcript.bytes, path + "/" + name)
    return .written
  }

  private static func write(_ bytes: [UInt8], _ path: String) throws(SegueError) {
    do throws(SegueError) { try File.replace(path, bytes) } catch {
      throw SegueError(.system, "its transcript cannot be written: \(error.message)")
    }
  }

  /// The bytes of a transcript; nil where it is not a file below the program's folder by its own name, without a link on
  /// the way.
  static func read(_ path: String, below root: String) throws(SegueError) -> [UInt8]? {
    guard isTranscript(path, below: root) else { return nil }
    return try File.read(path, maximum: Limits.conversationTranscript)
  }

  /// The first bytes of one, which say what it is about; nil where it is none, or too large to be brought.
  static func beginning(_ path: String, below root: String) -> [UInt8]? {
    guard isTranscript(path, below: root), isFit(path) else { return nil }
    return FileDescriptor(Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW))?.bytes(
      maximum: Limits.conversationBeginning)
  }

  /// Whether a transcript is still there, and not too large to be brought.
  static func isFit(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_size <= Limits.conversationTranscript
  }

  private static func isTranscript(_ path: String, below root: String) -> Bool {
    guard let real = realpath(path, nil) else { return false }
    defer { free(real) }
    return String(cString: real).isSame(as: path) && path.begins(with: root + "/") && isOwn(path, S_IFREG)
  }

  /// Whether it is of that kind itself, and no link, and this user's.
  private static func isOwn(_ path: String, _ kind: mode_t) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == kind && status.st_uid == geteuid()
  }
}
