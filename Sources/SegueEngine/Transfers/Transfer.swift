import SegueCore

/// A file that is brought, or a stream, as user interfaces show it and the user can stop it.
public struct Transfer: Equatable, Sendable {
  /// The kind and the engine's number of it, for user interfaces as "file-7" or "stream-7".
  public enum ID: Hashable, Sendable, CustomStringConvertible {
    case file(FileID)
    case stream(StreamID)

    /// Nil for any other text.
    public init?(_ text: String) {
      let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard parts.count == 2, let number = UInt64(String(decoding: parts[1], as: UTF8.self)) else { return nil }
      switch String(decoding: parts[0], as: UTF8.self) {
      case "file": self = .file(number)
      case "stream": self = .stream(number)
      default: return nil
      }
    }

    public var description: String {
      switch self {
      case .file(let number): "file-\(number)"
      case .stream(let number): "stream-\(number)"
      }
    }
  }

  public enum State: String, Sendable {
    /// Other files are brought first.
    case waiting
    /// The other side has not answered.
    case asked
    /// Bytes pass, or can pass.
    case open
    /// The link is lost.
    case interrupted
  }

  public var id: ID
  /// Whether an application of this device has asked for it.
  public var isIncoming: Bool
  /// The other device; nil for a stream within this one.
  public var device: DeviceID?
  public var deviceName = ""
  /// The application of this device.
  public var appID: AppID?
  public var appName = ""
  /// The file's name, which is content.
  public var name: String?
  public var state: State
  /// The bytes that have passed, and the file's size, as far as they are known.
  public var done: UInt64?
  public var size: UInt64?
}

/// A continuation that is on its way to an application of this device.
public struct ContinuationOnItsWay: Equatable, Sendable {
  public var id: Identifier
  public var activity: Identifier
  /// The device whose activity it is; this one's own too.
  public var device: DeviceID
  public var deviceName: String
  /// The application that continues it; empty for a browser.
  public var appName: String
}
