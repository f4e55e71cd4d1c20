import SegueBus
import SegueCore

// Files in folders that devices share (semantics R8): named at the origin, found on the continuing device.

extension Daemon {
  // MARK: The origin

  /// Calls `done` with an answer that says which files of its userInfo lie in containers: at once where there are none,
  /// else later.
  func nameFiles(of answer: FetchAnswer, _ done: @escaping (FetchAnswer) -> Void) {
    guard case .snapshot(var snapshot) = answer, !containers.table.containers.isEmpty,
      let urls = try? CBOR.decode(snapshot.userInfo).fileURLs, !urls.isEmpty
    else { return done(answer) }
    // Whichever is first: the file system, or the end of the time for it.
    var isOver = false
    let finish = { (files: [ContainerFile]?) in
      guard !isOver else { return }
      isOver = true
      if files == nil {
        self.log.warning("a file system did not answer: the files of an activity were not looked for", cause: "files")
      }
      snapshot.files = files ?? []
      done(.snapshot(snapshot))
    }
    let table = containers.table
    let timer = loop.timer(after: Limits.containerNameTime) { finish(nil) }
    let isAccepted = originFiles.run({ ContainerFinder(table).files(urls) }) { files in
      timer.cancel()
      finish(files)
    }
    if !isAccepted {
      timer.cancel()
      finish(nil)
    }
  }

  // MARK: The continuing device

  /// Waits for the files that a snapshot names, then puts this device's URLs in the places of the origin's.
  func localize(_ snapshot: Snapshot, _ continuation: RunningContinuation) {
    do throws(SegueError) {
      let files = try WantedFile.files(of: snapshot, in: containers.table)
      guard let first = files.first else { return handle(.localized(snapshot), continuation) }
      fileWaits[continuation.id] = try FileWait(
        files, first: first, time: settings.times.container, loop: loop, worker: arrivingFiles
      ) { [self] error in
        fileWaits[continuation.id] = nil
        do throws(SegueError) {
          if let error { throw error }
          handle(.localized(try snapshot.localized(files)), continuation)
        } catch {
          handle(.localizeFailed(error), continuation)
        }
      }
    } catch {
      handle(.localizeFailed(error), continuation)
    }
  }

  func cancelLocalize(_ continuation: RunningContinuation) {
    fileWaits.removeValue(forKey: continuation.id)?.cancel()
  }
}
