import SegueCore

/// The file of the record of continuations. What is written survives the daemon; a machine without power may lose it, and
/// with it the applications that it is about.
public struct JournalFile {
  private static let name = "continuations"
  private let record: StateRecord

  /// Where it is, for messages.
  public let path: String

  /// The file in a folder.
  public init(_ folder: StateFolder) {
    record = StateRecord(folder, Self.name)
    path = "\(folder.path)/\(Self.name)"
  }

  /// Once, before anything is written: what was written last, an empty one if there is nothing. Throws what
  /// `StateRecord.read` throws, and `invalidArgument` for what cannot be understood.
  public func read() throws(SegueError) -> ContinuationJournal {
    guard let bytes = try record.read() else { return ContinuationJournal() }
    return try ContinuationJournal.decode(bytes)
  }

  /// Throws what `StateRecord.write` throws.
  public func write(_ journal: ContinuationJournal) throws(SegueError) { try record.write(try journal.encode()) }
}
