import SegueCore

/// The file of this device's key and certificate, as bytes. `SegueLink`, which links a library for keys, reads them.
public struct IdentityFile {
  private static let name = "identity.pem"
  private let folder: StateFolder

  /// The file in a directory.
  public init(_ folder: StateFolder) { self.folder = folder }

  /// The file's content; nil for a new device. Throws what `StateFolder.read` throws, and `invalidArgument` if the file
  /// is missing although devices are paired: with another key they would all have to be paired again.
  public func read() throws(SegueError) -> [UInt8]? {
    if let bytes = try folder.read(Self.name) { return bytes }
    guard try !PinStore.namesAny(in: folder) else {
      throw SegueError(
        .invalidArgument, "\(folder.path)/\(Self.name) is missing, and yet devices are paired.",
        advice: "Restore it from a backup; or move \(PinStore.file) away too, and pair the devices anew.")
    }
    return nil
  }

  /// Whether there is such a file. Throws what `StateFolder.read` throws.
  public func exists() throws(SegueError) -> Bool { try folder.read(Self.name) != nil }

  /// Throws what `StateFolder.write` throws.
  public func write(_ bytes: [UInt8]) throws(SegueError) { try folder.write(Self.name, bytes) }

  /// The error for a file that holds no key.
  public var unusable: SegueError {
    SegueError(
      .invalidArgument, "\(folder.path)/\(Self.name) holds no usable key.",
      advice: "Restore it from a backup, or move it away; without it, devices must be paired anew.")
  }
}
