import SegueCore

/// The file of this device's key and its certificate. What is in it is for those to read that have a library for keys.
public struct IdentityFile {
  private static let name = "identity.pem"
  private let folder: StateFolder

  /// The file in a folder.
  public init(_ folder: StateFolder) { self.folder = folder }

  /// What was written; nil for a device that is new. Throws what `StateFolder.read` throws, and `invalidArgument` where
  /// the file is missing while devices are paired: with another key they would all have to be paired again.
  public func read() throws(SegueError) -> [UInt8]? {
    if let bytes = try folder.read(Self.name) { return bytes }
    guard try folder.read(PinStore.file) == nil else {
      throw SegueError(
        .invalidArgument, "\(folder.path)/\(Self.name) is missing, and yet devices are paired.",
        advice: "Restore it from a backup; or move \(PinStore.file) away too, and pair the devices anew.")
    }
    return nil
  }

  /// Throws what `StateFolder.write` throws.
  public func write(_ bytes: [UInt8]) throws(SegueError) { try folder.write(Self.name, bytes) }

  /// What is said of a file that holds no key.
  public var unusable: SegueError {
    SegueError(
      .invalidArgument, "\(folder.path)/\(Self.name) holds no usable key.",
      advice: "Restore it from a backup, or move it away; without it, devices must be paired anew.")
  }
}
