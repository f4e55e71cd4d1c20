import CLinux
import SegueBus
import SegueCore

/// A plugin's file, opened and checked: only an owner can have put it there, or can change it now. The file that is
/// loaded (`PluginLibrary`) is the very one that was checked, whatever file has its name by then (security attack 47).
public final class PluginFile: Sendable {
  /// The id in the file's name.
  public let id: PluginID
  /// The path as it was given.
  public let path: String
  public let metadata: PluginMetadata
  private let file: PluginFolder.Item

  /// Throws `.invalidArgument`, `.notFound`, `.accessDenied`, `.system`, with the file or directory and advice.
  public convenience init(path: String, folders: PluginFolders) throws(SegueError) {
    let id = try PluginPath.id(path)
    let folder = try folders.folder(of: path)
    let opened = try folder.open()
    let file = try folder.file(id.string + ".so", in: opened)
    guard file.status.st_size > 0 else {
      throw SegueError(.invalidArgument, "\(PluginPath.shown(file.path)) is empty", advice: "Install the plugin again.")
    }
    self.init(path, file, try Self.metadata(of: id, folder, opened))
  }

  /// `metadata` has the id of the file's name.
  private init(_ path: String, _ file: PluginFolder.Item, _ metadata: PluginMetadata) {
    id = metadata.id
    self.path = path
    self.metadata = metadata
    self.file = file
  }

  /// The descriptor, for reading; close-on-exec.
  public var descriptor: Int32 { file.descriptor.raw }

  /// A path of the file for the loader, valid for as long as this object lives.
  public var loaderPath: String { "/proc/self/fd/\(descriptor)" }

  public func isSameFile(as other: PluginFile) -> Bool { file.status.isSameFile(as: other.file.status) }

  private static func metadata(
    of id: PluginID, _ folder: PluginFolder, _ opened: PluginFolder.Item
  ) throws(SegueError) -> PluginMetadata {
    let file = try folder.file(id.string + ".plugin", in: opened)
    let path = PluginPath.shown(file.path)
    let metadata: PluginMetadata
    do throws(SegueError) {
      metadata = try PluginMetadata(try bytes(file, path))
    } catch {
      throw error.about(path)
    }
    guard metadata.id == id else {
      throw SegueError(
        .invalidArgument, "\(path) has the Id \(metadata.id.string), and not \(id.string)",
        advice: "Name the plugin's two files by its Id.")
    }
    return metadata
  }

  private static func bytes(_ file: PluginFolder.Item, _ path: String) throws(SegueError) -> [UInt8] {
    guard let bytes = file.descriptor.bytes(maximum: Limits.fileLength &+ 1) else {
      throw PluginFolder.failure(path, segue_errno())
    }
    guard bytes.count <= Limits.fileLength else {
      throw SegueError(.invalidArgument, "it has more than \(Limits.fileLength) bytes")
    }
    return bytes
  }
}
