import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The journal of continuations on the disk, which outlives the daemon (semantics X9).
final class JournalService {
  private var file: JournalFile
  private let loop: EventLoop
  private let log: Log
  private var overwriting: LoopTimer?

  init(_ file: JournalFile, loop: EventLoop, log: Log) {
    self.file = file
    self.loop = loop
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
    // A continuation writes the journal several times, and somebody waits for it.
    guard overwriting == nil else { return }
    overwriting = loop.timer(after: Limits.journalRestTime) { [unowned self] in overwriteFormer() }
  }

  /// Leaves only the present journal in the file.
  func close() { overwriteFormer() }

  private func overwriteFormer() {
    overwriting?.cancel()
    overwriting = nil
    file.overwriteFormer()
  }
}
