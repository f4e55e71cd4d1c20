import SegueBus
import SegueCore
import SegueState

/// Where the service is reached by commands of this user: a socket in a folder of its own. Names of files do not cross
/// the session bus, which others may watch.
enum FilesDoor {
  static let appID = "org.segue.Files"
  static let activityType = "org.segue.files"
  static let socket = "socket"
  static let path = ObjectPath(constant: "/org/segue/Files1")
  static let interface = InterfaceName(constant: "org.segue.Files1")
  /// Sends files to a device: its id, and absolute paths. The answer comes when the device shows that they are there to be
  /// taken: a number. The files are withdrawn when the caller leaves.
  static let offer = MemberName(constant: "Offer")
  /// Waits until what has this number was taken and is there. The answer: how many, and why others are not.
  static let finish = MemberName(constant: "Finish")

  static func folder() throws(SegueError) -> String {
    guard let runtime = environment("XDG_RUNTIME_DIR"), runtime.begins(with: "/") else {
      throw SegueError(
        .system, "There is no folder for the service's socket.",
        advice: "Set XDG_RUNTIME_DIR to a folder that is yours alone.")
    }
    return runtime + "/segue-files"
  }
}

/// The fate of files that were taken.
public struct FilesReport: Equatable, Sendable {
  /// How many are there.
  public var count = 0
  /// Why others are not: a sentence for each, with its name.
  public var failures: [String] = []

  init() {}

  init?(bytes: [UInt8]) {
    guard let value = try? CBOR.decode(bytes), let entries = value.dictionary,
      let count = entries["count"]?.integer, (0...Int64(Limits.sentFiles)).contains(count),
      let failures = entries["failures"]?.array, failures.count <= Limits.sentFiles
    else { return nil }
    self.count = Int(count)
    self.failures = failures.compactMap { $0.string }.map {
      DisplayText.clean($0, maximum: Limits.quotedLength)
    }
  }

  /// At most `Limits.fileReport` bytes: each failure is cut.
  var bytes: [UInt8] {
    let failures = failures.prefix(Limits.sentFiles).map {
      Value.string(DisplayText.clean($0, maximum: Limits.shownName))
    }
    let value = Value.dictionary(["count": .integer(Int64(count)), "failures": .array(Array(failures))])
    return (try? CBOR.encode(value)) ?? []
  }
}
