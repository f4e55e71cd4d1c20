import SegueCore
import SegueEngine
import SegueState

/// The journal of continuations on the disk, which outlives the daemon (semantics X9).
final class JournalService {
  private let file: JournalFile
  private let log: Log

  init(_ file: JournalFile, log: Log) {
    self.file = file
    self.log = log
  }

  /// The last journal written. A file that cannot be understood does not keep the daemon from starting: it is about
  /// some seconds.
  func read() -> ContinuationJournal {
    do throws(SegueError) { return try file.read() } catch {
      log.notice("\(file.path): \(error.message) It begins anew.", cause: "journal")
      return ContinuationJournal()
    }
  }

  func write(_ journal: ContinuationJournal) {
    do throws(SegueError) { try file.write(journal) } catch {
      log.warning("continuations cannot be recorded: \(error.message)", cause: "journal")
    }
  }
}
