import NIOCore
import SegueCore

/// A side's first frame: the versions that it speaks, its receive window, its device's name, and flags.
struct Welcome: Equatable {
  /// The versions that this build speaks. The major version is in the ALPN value; these are steps within it.
  static let versions: ClosedRange<UInt16> = 1...1

  var versions = Welcome.versions
  var window: UInt32
  /// For display; never an identity.
  var name: String
  /// Whether everything that the side sends on a link without channels, and that is to be noticed at once, is longer than
  /// a heartbeat. Then its heartbeats need not wake this side.
  var isDistinct = true

  init(versions: ClosedRange<UInt16> = Welcome.versions, window: Int, name: String) {
    self.versions = versions
    self.window = UInt32(clamping: window)
    self.name = name
  }

  /// Reads a payload, and ignores bytes behind the flags, which later versions may add. Throws `protocolViolation`.
  init(_ payload: ByteBuffer) throws(SegueError) {
    var payload = payload
    guard let low: UInt16 = payload.readInteger(), let high: UInt16 = payload.readInteger(), low <= high,
      let window: UInt32 = payload.readInteger(), window >= UInt32(Flow.leastWindow),
      let length: UInt16 = payload.readInteger(), length <= UInt16(Limits.titleMaximum),
      let bytes = payload.readBytes(length: Int(length)), let name = String(validating: bytes, as: UTF8.self)
    else { throw SegueError(.protocolViolation, "A malformed welcome.") }
    versions = low...high
    self.window = window
    self.name = DisplayText.clean(name, maximum: Limits.titleAdvised)
    let flags: UInt8 = payload.readInteger() ?? 0
    isDistinct = flags & Self.distinct != 0
  }

  private static let distinct: UInt8 = 1

  var payload: ByteBuffer {
    let bytes = Array(DisplayText.clean(name, maximum: Limits.titleAdvised).utf8)
    var payload = ByteBuffer()
    payload.writeInteger(versions.lowerBound)
    payload.writeInteger(versions.upperBound)
    payload.writeInteger(window)
    payload.writeInteger(UInt16(bytes.count))
    payload.writeBytes(bytes)
    payload.writeInteger(isDistinct ? Self.distinct : 0)
    return payload
  }

  /// The newest version that both speak. Throws `versionMismatch`, and says which side is to be updated.
  static func common(_ ours: ClosedRange<UInt16>, _ theirs: ClosedRange<UInt16>) throws(SegueError) -> UInt16 {
    let newest = min(ours.upperBound, theirs.upperBound)
    if newest >= max(ours.lowerBound, theirs.lowerBound) { return newest }
    let old = ours.upperBound < theirs.lowerBound ? "this device" : "the other device"
    throw SegueError(
      .versionMismatch, "This device and the other have no version of the link in common.",
      advice: "Update Segue on \(old).")
  }
}

/// Why a side ends the link, in the frame that it sends last.
enum Goodbye: UInt8 {
  case stopping = 0
  case duplicate = 1
  case version = 2
  case violation = 3
  case removed = 4
  case overload = 5

  init(_ payload: ByteBuffer) {
    self = payload.getInteger(at: payload.readerIndex).flatMap(Goodbye.init(rawValue:)) ?? .stopping
  }

  var frame: Frame { Frame(kind: .goodbye, payload: ByteBuffer(bytes: [rawValue])) }

  /// The error of the side that receives it.
  var error: SegueError {
    switch self {
    case .stopping: SegueError(.connectionUnavailable, "The other device has stopped Segue.")
    case .duplicate: SegueError(.connectionUnavailable, "The other device uses another link.")
    case .version: SegueError(.versionMismatch, "The other device has no version of the link in common with this one.")
    case .violation: SegueError(.protocolViolation, "The other device says that this one broke the protocol.")
    case .removed: SegueError(.accessDenied, "The other device has removed this one.", advice: "Pair them again.")
    case .overload: SegueError(.limitExceeded, "Too much was waiting to be sent.")
    }
  }
}
