import SegueCore
import SegueEngine

// The part of a process that deals with files which no container carries.

extension VirtualProcess {
  // MARK: The continuing side

  /// So many that some files have to wait for others.
  private static let mostFiles = 2 * Limits.filesPerDevice

  /// The process asks for some files of the activity that it has continued last: some that the activity names, and some
  /// that it does not.
  func bringFiles() {
    guard let account = arrivals.last.flatMap({ world.accounts[$0] }), let activity = account.activity else { return }
    for _ in 0...random.below(UInt64(Self.mostFiles)) where files.count < Self.mostFiles {
      let isHere = activity.file != nil && random.oneIn(8)
      let number = random.below(VirtualActivity.fileCount + 1)
      bring(isHere ? VirtualActivity.fileHere : "file:///\(number)", account, activity)
    }
  }

  private func bring(_ url: String, _ account: Account, _ activity: VirtualActivity) {
    guard let door else { return }
    let file = VirtualFile(self, door, world.newNumber(), account, activity, url)
    files[file.number] = file
    world.files.append(file)
    door.ask({ door.daemon.wantedFiles.wants(file, $0) }) { file.replied($0) }
    guard random.oneIn(8) else { return }
    after(random.below(4) * latency(), "gives a file up") { [weak door] in
      guard file.outcome == nil else { return }
      door?.say(.cancelFile(transfer: file.number))
      file.end(.cancelled)
    }
  }

  func endFiles(_ outcome: FileOutcome) {
    for (_, file) in files.sorted(by: { $0.key < $1.key }) { file.end(outcome) }
  }

  // MARK: The origin's side

  /// Opens a file of an activity. Nil: the application does not answer.
  func openFile(_ id: Identifier, _ url: String) -> Result<Void, SegueError>? {
    guard let activity = activities[id] else { return .failure(SegueError(.notFound, "no such activity")) }
    guard activity.allowsFiles else { return .failure(SegueError(.accessDenied, "no files")) }
    guard activity.names(url) else { return .failure(SegueError(.notFound, "no such file")) }
    return random.oneIn(world.schedule.hangs) ? nil : .success(())
  }
}
