// Errors that another device reports: its code counts, its words are only quoted (security.md, section 5.1).

extension SegueError {
  /// The failure that answers a fetch. Sentence and advice are this device's; the other's words follow, marked as a
  /// quotation. A code that another device cannot know counts as `handoffFailed`. So does `userCancelled`, since only
  /// this device's user can cancel, and another device must not keep a failure from being shown.
  init(toldByOther code: Code, words: String) {
    let (code, message, advice) = Self.ours(code)
    self.init(
      code, words.isEmpty || words == message ? message : "\(message) The other device says: \(Self.quoted(words)).",
      advice: advice)
  }

  /// The failure that answers a request for a stream: as the other one, with what it means for a stream.
  init(ofStreamToldByOther code: Code, words: String) {
    let message: String
    let advice: String
    switch code {
    case .notFound:
      message = "The activity has ended on the other device, or its application has."
      advice = "Open it there again, and continue again."
    case .accessDenied:
      message = "The other device gives no streams of this activity."
      advice = "See there what its user, or its application, allows."
    case .limitExceeded:
      message = "The other device has as many streams open as it may."
      advice = "Close one that is not used any more, then try again."
    case .notHandled, .remoteApplicationTimedOut:
      message = "The application on the other device did not take the streams."
      advice = "It may not be made for them, or be busy: check there."
    default:
      self.init(toldByOther: code, words: words)
      return
    }
    self.init(
      code, words.isEmpty ? message : "\(message) The other device says: \(Self.quoted(words)).", advice: advice)
  }

  /// The failure that answers a request for a file, or ends one on its way: as the other ones, with what it means for a
  /// file.
  public init(ofFileToldByOther code: Code, words: String) {
    let message: String
    let advice: String
    switch code {
    case .notFound:
      message = "The other device does not have the file any more, or its application has ended."
      advice = "Find it there, then continue again."
    case .accessDenied:
      message = "The other device does not give the file."
      advice = "Its application may not allow files to be brought, or not be allowed to read it: check there."
    case .invalidArgument:
      message = "On the other device it is not a file that can be brought."
      advice = "Only regular files can be: no folders, links, pipes or devices."
    case .handoffFailed:
      message = "The file changed on the other device while it was brought."
      advice = "Bring it again when nobody writes to it."
    case .limitExceeded:
      message = "The other device gives as many files as it may."
      advice = "Try again when others are there."
    case .notHandled, .remoteApplicationTimedOut:
      message = "The application on the other device did not open the file."
      advice = "It may be older than what is asked of it, or be busy: check there."
    case .system:
      message = "The other device could not read the file."
      advice = "Check there whether it can be read."
    default:
      self.init(toldByOther: code, words: words)
      return
    }
    self.init(
      code, words.isEmpty ? message : "\(message) The other device says: \(Self.quoted(words)).", advice: advice)
  }

  /// Without the full stop at their end: that is the sentence's, which they stand in.
  private static func quoted(_ words: String) -> String {
    DisplayText.quoted(
      words.utf8.last == UInt8(ascii: ".") ? String(decoding: Array(words.utf8.dropLast()), as: UTF8.self) : words)
  }

  private static func ours(_ code: Code) -> (Code, message: String, advice: String) {
    switch code {
    case .notFound:
      (code, "The activity has ended on the other device.", "Open it there again, or continue something else.")
    case .accessDenied:
      (
        code, "The other device does not hand the activity over.",
        "See there what its user, or its application, allows."
      )
    case .versionMismatch:
      (
        code, "The application's version on the other device does not fit the one here.",
        "Update the application on the device where it is older, then continue again."
      )
    case .invalidArgument, .limitExceeded, .protocolViolation, .system:
      (
        code, "Something went wrong on the other device (\(code.name)).",
        "Continue again; if that does not help, see Segue's log there."
      )
    case .remoteApplicationTimedOut, .handoffUserInfoTooLarge: (code, code.usual.message, code.usual.advice)
    default: (.handoffFailed, Code.handoffFailed.usual.message, Code.handoffFailed.usual.advice)
    }
  }
}
