/// An error for a program (`code`) and for a person (`message`), with advice on what to do about it.
public struct SegueError: Error, Equatable, Sendable {
  /// A stable code. The first five carry the numbers and meanings of Apple's NSUserActivity errors.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The activity's data was not available.
    public static let handoffFailed = Code(rawValue: 4608)
    /// A connection to the other device, or to the daemon, could not be had.
    public static let connectionUnavailable = Code(rawValue: 4609)
    /// The application on the other device did not answer in time.
    public static let remoteApplicationTimedOut = Code(rawValue: 4610)
    /// userInfo exceeds its limit.
    public static let handoffUserInfoTooLarge = Code(rawValue: 4611)
    /// The user chose something else.
    public static let userCancelled = Code(rawValue: 3072)

    /// An argument, a message or a file is malformed.
    public static let invalidArgument = Code(rawValue: 9001)
    /// The named object does not exist (any more).
    public static let notFound = Code(rawValue: 9002)
    /// The object was invalidated.
    public static let invalidated = Code(rawValue: 9003)
    /// The caller may not do that.
    public static let accessDenied = Code(rawValue: 9004)
    /// A limit of `Limits` was reached.
    public static let limitExceeded = Code(rawValue: 9005)
    /// No installed application can continue this activity.
    public static let noApplication = Code(rawValue: 9006)
    /// The application could not be launched.
    public static let launchFailed = Code(rawValue: 9007)
    /// The application was launched, and did not claim the continuation in time.
    public static let launchTimedOut = Code(rawValue: 9008)
    /// The application ended before the continuation did.
    public static let applicationExited = Code(rawValue: 9009)
    /// Another process owns the name.
    public static let nameTaken = Code(rawValue: 9010)
    /// The two sides have no version in common.
    public static let versionMismatch = Code(rawValue: 9011)
    /// The other side broke the protocol.
    public static let protocolViolation = Code(rawValue: 9012)
    /// The operating system refused.
    public static let system = Code(rawValue: 9013)
    /// The application returned false, and no fallback succeeded.
    public static let notHandled = Code(rawValue: 9014)
    /// A plugin did not do what it says, or said that it could not.
    public static let pluginFailed = Code(rawValue: 9015)
    /// The application belongs to another thread.
    public static let wrongThread = Code(rawValue: 9016)
    /// The application belongs to the process that this one was forked from.
    public static let afterFork = Code(rawValue: 9017)
    /// The application is closed.
    public static let closed = Code(rawValue: 9018)
  }

  public let code: Code
  /// A sentence for a person, in English; never empty.
  public let message: String
  /// Advice on what to do about the error; never empty.
  public let advice: String

  /// The code's usual text replaces a text that is left out, or empty because another device sent none (semantics E1).
  public init(_ code: Code, _ message: String = "", advice: String = "") {
    self.code = code
    self.message = message.isEmpty ? code.usual.message : message
    self.advice = advice.isEmpty ? code.usual.advice : advice
  }

  /// Whether the advice is about this error, rather than the usual one of its code.
  public var hasOwnAdvice: Bool { advice != code.usual.advice }

  /// Message and advice in one line, for a log: the message as a sentence of its own.
  public var line: String {
    message.utf8.last == UInt8(ascii: ".") ? "\(message) \(advice)" : "\(message). \(advice)"
  }

  /// The same error, told with what it is about in front.
  public func about(_ what: String) -> SegueError { SegueError(code, "\(what): \(message)", advice: advice) }
}

extension SegueError.Code {
  /// The name on the bus is `org.segue.Error.<name>`.
  public var name: String {
    switch self {
    case .handoffFailed: "HandoffFailed"
    case .connectionUnavailable: "ConnectionUnavailable"
    case .remoteApplicationTimedOut: "RemoteApplicationTimedOut"
    case .handoffUserInfoTooLarge: "HandoffUserInfoTooLarge"
    case .userCancelled: "UserCancelled"
    case .invalidArgument: "InvalidArgument"
    case .notFound: "NotFound"
    case .invalidated: "Invalidated"
    case .accessDenied: "AccessDenied"
    case .limitExceeded: "LimitExceeded"
    case .noApplication: "NoApplication"
    case .launchFailed: "LaunchFailed"
    case .launchTimedOut: "LaunchTimedOut"
    case .applicationExited: "ApplicationExited"
    case .nameTaken: "NameTaken"
    case .versionMismatch: "VersionMismatch"
    case .protocolViolation: "ProtocolViolation"
    case .notHandled: "NotHandled"
    case .pluginFailed: "PluginFailed"
    case .wrongThread: "WrongThread"
    case .afterFork: "AfterFork"
    case .closed: "Closed"
    default: "System"
    }
  }

  /// Every code, for the way back from a name.
  public static let all: [SegueError.Code] = [
    .handoffFailed, .connectionUnavailable, .remoteApplicationTimedOut, .handoffUserInfoTooLarge, .userCancelled,
    .invalidArgument, .notFound, .invalidated, .accessDenied, .limitExceeded, .noApplication, .launchFailed,
    .launchTimedOut, .applicationExited, .nameTaken, .versionMismatch, .protocolViolation, .system, .notHandled,
    .pluginFailed, .wrongThread, .afterFork, .closed,
  ]

  /// The prefix of every error name on the bus.
  public static let busPrefix = "org.segue.Error."

  /// The code that a bus error's name stands for, nil for a foreign name.
  public init?(busName: String) {
    guard let code = Self.all.first(where: { Self.busPrefix + $0.name == busName }) else { return nil }
    self = code
  }
}
