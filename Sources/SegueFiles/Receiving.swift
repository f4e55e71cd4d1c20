import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueRuntime
import SegueState

/// Files of another device that its user has sent and that this user has taken.
final class Receiving {
  let activity: Activity
  let deviceName: String
  let files: [SentFile]
  private let application: Application
  private let loop: EventLoop
  private let disk = WorkQueue("segue-receive", threads: Limits.filesComing)
  private var next = 0
  private var open = 0
  /// The paths of those that are there, by their place in the list.
  private var placed: [Int: String] = [:]
  private var failures: [Int: String] = [:]
  private let done: (Receiving) -> Void

  /// `done` is called once: all are there, or are known not to come.
  init(
    _ activity: Activity, from deviceName: String, _ application: Application, _ loop: EventLoop,
    _ done: @escaping (Receiving) -> Void
  ) throws(SegueError) {
    files = try SentFile.list(activity.userInfo)
    self.activity = activity
    self.deviceName = deviceName
    self.application = application
    self.loop = loop
    self.done = done
  }

  /// In the order in which they were sent.
  var paths: [String] { placed.keys.sorted().compactMap { placed[$0] } }
  var reasons: [String] { failures.keys.sorted().compactMap { failures[$0] } }

  func advance() {
    while next < files.count, open < Limits.filesComing {
      let place = next
      next += 1
      open += 1
      do throws(SegueError) {
        try application.bringFile(files[place].url, of: activity, nil) { [weak self] result in
          self?.came(place, result)
        }
      } catch {
        loop.later { [weak self] in self?.ended(place, .failure(error)) }
      }
    }
    if open == 0 { report() }
  }

  private func came(_ place: Int, _ result: Result<BroughtFile, SegueError>) {
    let name = FileName(files[place].name)
    switch result {
    case .failure(let error): ended(place, .failure(error))
    case .success(let file):
      let loop = loop
      // It comes back to the thread that it is from.
      nonisolated(unsafe) let receiving = self
      disk.add {
        let outcome = Result { () throws(SegueError) in
          try DownloadFolder.current().put(file.path, as: name, isCopy: file.digest != nil)
        }
        loop.post { receiving.ended(place, outcome) }
      }
    }
  }

  private func ended(_ place: Int, _ result: Result<String, SegueError>) {
    open -= 1
    switch result {
    case .success(let path): placed[place] = path
    case .failure(let error):
      failures[place] = "\(FileName(files[place].name).string): \(error.message)"
    }
    advance()
  }

  // MARK: The report to the sender

  private func report() {
    var report = FilesReport()
    report.count = placed.count
    report.failures = reasons
    do throws(SegueError) {
      try application.requestStreams(for: activity) { [self] result in
        if case .success(let streams) = result {
          let (input, output) = streams.take()
          // A pipe has room for it.
          report.bytes.withUnsafeBytes { _ = segue_write_quietly(output, $0.baseAddress, $0.count, 0) }
          _ = close(output)
          _ = close(input)
        }
        done(self)
      }
    } catch {
      loop.later { [self] in done(self) }
    }
  }
}
