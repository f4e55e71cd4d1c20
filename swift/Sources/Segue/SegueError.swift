import CSegueLibrary
import Foundation

/// An error of Segue: a code for the program, a sentence for a person, and advice on what to do about it.
///
/// The codes that Foundation has are thrown as `CocoaError` (`userActivityHandoffFailed` and its siblings, and
/// `userCancelled`), as on Apple's systems, with the sentence and the advice in its user info.
public struct SegueError: Error, Hashable, Sendable {
  /// The kind of failure (segue/error.h). Open: a newer library may know more.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// An argument, a message or a file is malformed.
    public static let invalidArgument = Code(rawValue: 9001)
    /// The thing that was named does not exist any more.
    public static let notFound = Code(rawValue: 9002)
    /// The activity was invalidated.
    public static let invalidated = Code(rawValue: 9003)
    /// Not allowed.
    public static let accessDenied = Code(rawValue: 9004)
    /// A limit was reached; docs/limits.md lists them.
    public static let limitExceeded = Code(rawValue: 9005)
    /// No installed application can continue the activity.
    public static let noApplication = Code(rawValue: 9006)
    /// The application could not be launched.
    public static let launchFailed = Code(rawValue: 9007)
    /// The application was launched but did not claim the continuation.
    public static let launchTimedOut = Code(rawValue: 9008)
    /// The application ended before the continuation did.
    public static let applicationExited = Code(rawValue: 9009)
    /// Another process owns the application's name.
    public static let nameTaken = Code(rawValue: 9010)
    /// The two sides have no version in common.
    public static let versionMismatch = Code(rawValue: 9011)
    /// The other side broke the protocol.
    public static let protocolViolation = Code(rawValue: 9012)
    /// The operating system refused.
    public static let system = Code(rawValue: 9013)
    /// The application did not take the activity.
    public static let notHandled = Code(rawValue: 9014)
    /// A plugin did not do what it says, or said that it could not.
    public static let pluginFailed = Code(rawValue: 9015)
    /// The application belongs to another thread.
    public static let wrongThread = Code(rawValue: 9016)
    /// It belongs to the process that this one was forked from.
    public static let afterFork = Code(rawValue: 9017)
    /// It is closed.
    public static let closed = Code(rawValue: 9018)
  }

  /// The kind of failure.
  public let code: Code
  /// A sentence for a person, in English.
  public let message: String
  /// Advice on what to do about it, in English; may be empty.
  public let advice: String
  /// The keys that lead to the value in `userInfo` that the error is about; empty where it is about none.
  public let keyPath: [String]

  /// Makes an error as the library does, for code of yours that is called in its place.
  public init(_ code: Code, _ message: String, advice: String = "", at keyPath: [String] = []) {
    self.code = code
    self.message = message
    self.advice = advice
    self.keyPath = keyPath
  }
}

extension SegueError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { description }
  public var recoverySuggestion: String? { advice.isEmpty ? nil : advice }
  public var description: String {
    keyPath.isEmpty ? message : "\(keyPath.joined(separator: ".")): \(message)"
  }
}

extension SegueError {
  /// The error of the library as Swift throws it: a `CocoaError` where Foundation has the code.
  static func of(_ error: OpaquePointer) -> any Error {
    let (code, message) = (segue_error_get_code(error), borrowed(segue_error_get_message(error)))
    let advice = borrowed(segue_error_get_advice(error))
    guard cocoaCodes.contains(code) else { return SegueError(Code(rawValue: code), message, advice: advice) }
    return CocoaError(
      CocoaError.Code(rawValue: Int(code)),
      userInfo: [NSLocalizedDescriptionKey: message, NSLocalizedRecoverySuggestionErrorKey: advice])
  }

  private static let cocoaCodes: Set<Int32> = [3072, 4608, 4609, 4610, 4611]

  /// For a call that says no more than a negative errno.
  init(result: Int32, at keyPath: [String] = []) {
    let (code, message): (Code, String) =
      switch -result {
      case EINVAL: (.invalidArgument, "An argument is malformed, or is of another application.")
      case E2BIG: (.limitExceeded, "A limit is exceeded.")
      case ENXIO: (.invalidArgument, "The value is of another kind.")
      case ESTALE: (.invalidated, "The activity was invalidated, or the document closed.")
      case ENOENT: (.notFound, "There is none.")
      case EACCES: (.accessDenied, "It is not allowed.")
      case EALREADY: (.invalidArgument, "It was called before.")
      case ELOOP: (.invalidArgument, "The responder comes after that one already.")
      case EDEADLK: (.wrongThread, "It cannot be called inside a callback.")
      case EPERM: (.wrongThread, "The application belongs to another thread.")
      case ECHILD: (.afterFork, "The application belongs to the process that this one was forked from.")
      case ESHUTDOWN: (.closed, "The application is closed.")
      case EBADMSG: (.protocolViolation, "The bytes are not what they should be.")
      default: (.system, String(cString: strerror(-result)) + ".")
      }
    self.init(code, message, at: keyPath)
  }
}
