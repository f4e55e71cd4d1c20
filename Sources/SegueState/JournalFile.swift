import SegueCore
import SegueEngine

/// The file of the journal of continuations, which survives the daemon. The file may be lost when the machine loses its
/// power, but then the applications that it names end too.
public struct JournalFile {
  private static let name = "continuations"
  private let file: StateFile
  private var encoder = JournalEncoder()

  /// The file's path, for messages.
  public let path: String

  /// The file in a directory.
  public init(_ folder: StateFolder) {
    file = StateFile(folder, Self.name)
    path = "\(folder.path)/\(Self.name)"
  }

  /// Reads the journal that was written last; an empty one if there is none. Call this once, before the first write.
  /// Throws what `StateFile.read` throws, and `invalidArgument` if the content cannot be understood.
  public func read() throws(SegueError) -> ContinuationJournal {
    guard let bytes = try file.read() else { return ContinuationJournal() }
    return try ContinuationJournal.decode(bytes)
  }

  /// Throws what `StateFile.write` throws.
  public mutating func write(_ journal: ContinuationJournal) throws(SegueError) {
    try file.write(try encoder.encode(journal))
  }

  /// Overwrites the journal before the present one, which `write` leaves in the file.
  public func overwriteFormer() { file.overwriteFormer() }
}
