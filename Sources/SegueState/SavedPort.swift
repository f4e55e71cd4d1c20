import SegueCore

/// The port of the last run. Paired devices dial the address that they were given, so the port must survive a restart.
public struct SavedPort {
  private static let file = "port"
  private let folder: StateFolder

  /// The port that is saved in a directory.
  public init(folder: StateFolder) { self.folder = folder }

  /// The saved port; nil if none was saved, or the file holds none.
  public func read() -> UInt16? {
    guard let bytes = try? folder.read(Self.file) else { return nil }
    return UInt16(String(decoding: bytes, as: UTF8.self))
  }

  /// Saves the port. A failure is ignored: the port is not needed before the next start.
  public func write(_ port: UInt16) {
    guard port != 0, read() != port else { return }
    try? folder.write(Self.file, Array("\(port)".utf8))
  }
}
