import SegueCore

/// The files that are brought from other devices and to them: how many at once, in which order, and how long each may
/// take.
struct Files {
  /// A file that an application here has asked for.
  struct Wanted {
    enum Stage: Equatable {
      /// Other files are brought first.
      case waiting
      /// The other device has been asked.
      case asked
      case coming
      /// There is no link.
      case interrupted
    }

    let session: SessionID
    /// The application's own number for the file.
    let transfer: UInt64
    let device: DeviceID
    let request: FileRequest
    /// The call that asks for the file.
    let reply: RequestID
    var stage = Stage.waiting
    var done: UInt64 = 0
    /// Known once the other device has agreed.
    var size: UInt64?
    /// The moment at which the file fails if there is still no progress; set when the link is lost.
    var until: Instant?
  }

  /// A file that another device has asked for.
  struct Given {
    let channel: ChannelID
    let device: DeviceID
    let session: SessionID
    let url: String
    /// Whether the application has opened it.
    var isOpen = false
    /// The bytes that the other device has, and the file's size; known once it is being sent.
    var done: UInt64?
    var size: UInt64?
  }

  /// A request for a file of an application that may come back after a start.
  struct Returning {
    let channel: ChannelID
    let device: DeviceID
    let request: FileRequest
  }

  /// A request that an application has not answered, and the device on whose behalf it was asked.
  private struct Unanswered {
    let session: SessionID
    let device: DeviceID
  }

  /// Grows with each change of the files that are on their way.
  private(set) var changes: UInt64 = 0
  private var wanted: [FileID: Wanted] = [:] { didSet { changes &+= 1 } }
  private var given: [FileID: Given] = [:] { didSet { changes &+= 1 } }
  private var returning: [Returning] = []
  /// The files that applications were asked to open and have not answered for, whether still wanted or not.
  private var unanswered: [FileID: Unanswered] = [:]
  private var count: FileID = 0
  private let answerTime: UInt64
  private let openTime: UInt64

  init(_ settings: EngineSettings) {
    answerTime = settings.times.fetch + Limits.returnTime
    openTime = settings.times.save
  }

  var isEmpty: Bool { wanted.isEmpty && given.isEmpty && returning.isEmpty && unanswered.isEmpty }

  // MARK: Where they are brought to

  func wanted(_ id: FileID) -> Wanted? { wanted[id] }

  var wantedInOrder: [FileID] { wanted.keys.sorted() }

  /// Throws `limitExceeded`, or `invalidArgument` for a number that the application is using already.
  mutating func add(_ file: Wanted) throws(SegueError) {
    let own = wanted.values.filter { $0.session == file.session }
    guard !own.contains(where: { $0.transfer == file.transfer }) else {
      throw SegueError(.invalidArgument, "A file is on its way under this number.")
    }
    guard own.count < Limits.filesPerApplication else {
      throw SegueError(
        .limitExceeded, "\(Limits.filesPerApplication) files are on their way.", advice: "Wait until some are there.")
    }
    count += 1
    wanted[count] = file
  }

  func number(of transfer: UInt64, _ session: SessionID) -> FileID? {
    wanted.first { $0.value.session == session && $0.value.transfer == transfer }?.key
  }

  /// The next file whose turn it is.
  var next: FileID? {
    let busy = wanted.values.filter { $0.stage != .waiting }
    guard busy.count < Limits.files else { return nil }
    return wantedInOrder.first { id in
      guard let file = wanted[id], file.stage == .waiting else { return false }
      return busy.count { $0.device == file.device } < Limits.filesPerDevice
    }
  }

  /// The other device is asked, for the first time or once more.
  mutating func ask(_ id: FileID, _ deadlines: inout Deadlines, at now: Instant) {
    wanted[id]?.stage = .asked
    deadlines.set(.file(id), at: now + answerTime)
  }

  mutating func progressed(
    _ id: FileID, _ done: UInt64, of size: UInt64, _ deadlines: inout Deadlines, at now: Instant
  ) {
    guard let file = wanted[id], file.stage == .asked || file.stage == .coming else { return }
    wanted[id]?.stage = .coming
    // A device that agrees, and then sends nothing, has made no progress.
    if done != file.done { wanted[id]?.until = nil }
    wanted[id]?.done = done
    wanted[id]?.size = size
    deadlines.set(.file(id), at: now + Limits.fileSilenceTime)
  }

  /// The transfer was interrupted. It is soon retried if there is a link all the same, otherwise when there is one
  /// again.
  mutating func interrupted(_ id: FileID, isOnline: Bool, _ deadlines: inout Deadlines, at now: Instant) {
    guard let file = wanted[id], file.stage != .waiting else { return }
    let until = file.until ?? now + Limits.fileLinkTime
    wanted[id]?.stage = .interrupted
    wanted[id]?.until = until
    deadlines.set(.file(id), at: isOnline ? min(until, now + Limits.fileRetryTime) : until)
  }

  /// Removes the file, whose transfer is over.
  @discardableResult mutating func remove(_ id: FileID, _ deadlines: inout Deadlines) -> Wanted? {
    guard wanted[id] != nil else { return nil }
    deadlines.cancel(.file(id))
    return wanted.removeValue(forKey: id)
  }

  // MARK: Where they are from

  func given(_ id: FileID) -> Given? { given[id] }

  var givenInOrder: [FileID] { given.keys.sorted() }

  /// Throws `limitExceeded`.
  mutating func add(_ file: Given, _ deadlines: inout Deadlines, at now: Instant) throws(SegueError) -> FileID {
    let others = given.values.count { $0.device == file.device }
    guard others < Limits.filesPerDevice, given.count < Limits.files else {
      throw SegueError(.limitExceeded, "\(others) files are on their way to the other device.")
    }
    let owed = unanswered.values.filter { $0.session == file.session }
    guard owed.count < Limits.filesUnanswered,
      owed.count(where: { $0.device == file.device }) < Limits.filesUnansweredPerDevice
    else {
      throw SegueError(.limitExceeded, "The application has not answered earlier requests for files.")
    }
    count += 1
    given[count] = file
    unanswered[count] = Unanswered(session: file.session, device: file.device)
    deadlines.set(.file(count), at: now + openTime)
    return count
  }

  /// The application has opened the file, or has refused. Returns the file if it is still to be sent.
  mutating func answered(_ id: FileID, by session: SessionID) -> Given? {
    guard unanswered[id]?.session == session else { return nil }
    unanswered[id] = nil
    guard let file = given[id], !file.isOpen else { return nil }
    return file
  }

  /// The file is being sent, and has made progress.
  mutating func sends(_ id: FileID, _ deadlines: inout Deadlines, at now: Instant) {
    guard given[id] != nil else { return }
    given[id]?.isOpen = true
    deadlines.set(.file(id), at: now + Limits.fileSilenceTime)
  }

  /// The other device has so much of the file.
  mutating func sent(_ id: FileID, _ done: UInt64, of size: UInt64) {
    given[id]?.done = done
    given[id]?.size = size
  }

  @discardableResult mutating func removeGiven(_ id: FileID, _ deadlines: inout Deadlines) -> Given? {
    guard given[id] != nil else { return nil }
    deadlines.cancel(.file(id))
    return given.removeValue(forKey: id)
  }

  /// The request waits for its application to come back. Throws `limitExceeded`.
  mutating func await(_ request: Returning) throws(SegueError) {
    guard returning.count(where: { $0.device == request.device }) < Limits.filesPerDevice else {
      throw SegueError(.limitExceeded, "\(Limits.filesPerDevice) files of the other device wait.")
    }
    returning.append(request)
  }

  /// Removes and returns the requests that wait no longer.
  mutating func takeReturning(where isTaken: (Returning) -> Bool) -> [Returning] {
    let taken = returning.filter(isTaken)
    returning.removeAll(where: isTaken)
    return taken
  }

  mutating func abandoned(_ channel: ChannelID) { returning.removeAll { $0.channel == channel } }

  /// The process has ended: its answers are no longer awaited. A file that it has opened is sent all the same.
  mutating func left(_ session: SessionID) -> (wanted: [FileID], given: [FileID]) {
    unanswered = unanswered.filter { $0.value.session != session }
    return (
      wantedInOrder.filter { wanted[$0]?.session == session },
      givenInOrder.filter { given[$0].map { $0.session == session && !$0.isOpen } ?? false }
    )
  }
}
