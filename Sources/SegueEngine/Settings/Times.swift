import SegueCore

/// How long the daemon waits, in milliseconds: as in `Limits`, unless the group [Limits] of segue.conf says otherwise.
/// Tests shorten the times that they would have to wait for.
public struct Times: Sendable {
  public init() {}

  public var save = Limits.saveTime
  public var fetch = Limits.fetchTime
  public var container = Limits.containerTime
  public var launch = Limits.launchTime
  public var notResponding = Limits.notRespondingTime
  public var finish = Limits.finishTime
  public var grace = Limits.graceTime
  public var firstDials = Limits.firstDialsTime
  public var noticeStart = Limits.noticeStartTime
  public var snapshotInterval = Limits.snapshotInterval
  public var keepInterval = Limits.keepInterval
  public var storedCopy = Limits.storedCopyTime
  public var announcement = Limits.announcementTime
  public var associationInterval = Limits.associationInterval
  public var associationRetry = Limits.associationRetryTime

  /// The claim's time to its answer, and a ticket's life, which follow from the others as in `Limits`.
  public var claim: UInt64 { Limits.claimTime - Limits.fetchTime - Limits.containerTime + fetch + container }
  public var ticket: UInt64 { launch + claim }

  /// The keys of group [Limits].
  public static let keys = [
    "SaveTime", "FetchTime", "ContainerTime", "LaunchTime", "NotRespondingTime", "FinishTime", "GraceTime",
    "FirstDialsTime", "NoticeStartTime",
    "SnapshotInterval", "KeepInterval", "StoredCopyTime", "AnnouncementTime",
    "AssociationInterval", "AssociationRetryTime",
  ]

  /// Reads group [Limits].
  public mutating func read(_ file: KeyFile) throws(SegueError) {
    try Self.set(&save, file, "SaveTime")
    try Self.set(&fetch, file, "FetchTime")
    try Self.set(&container, file, "ContainerTime")
    try Self.set(&launch, file, "LaunchTime")
    try Self.set(&notResponding, file, "NotRespondingTime")
    try Self.set(&finish, file, "FinishTime")
    try Self.set(&grace, file, "GraceTime")
    try Self.set(&firstDials, file, "FirstDialsTime")
    try Self.set(&noticeStart, file, "NoticeStartTime")
    try Self.set(&snapshotInterval, file, "SnapshotInterval")
    try Self.set(&keepInterval, file, "KeepInterval")
    try Self.set(&storedCopy, file, "StoredCopyTime", maximum: Limits.storedCopyTime)
    try Self.set(&announcement, file, "AnnouncementTime", maximum: Limits.announcementTime)
    try Self.set(&associationInterval, file, "AssociationInterval", maximum: Limits.associationInterval)
    try Self.set(&associationRetry, file, "AssociationRetryTime")
  }

  private static func set(
    _ time: inout UInt64, _ file: KeyFile, _ key: String, maximum: UInt64 = Limits.settableTime
  ) throws(SegueError) {
    guard let given = try file.integer("Limits", key) else { return }
    guard given >= 1, UInt64(given) <= maximum else {
      throw file.failure("Limits", key, "is not between 1 and \(maximum) milliseconds")
    }
    time = UInt64(given)
  }
}
