import SegueCore

extension Limits {
  // MARK: segue-files
  /// Files that are sent together.
  public static let sentFiles = 64
  /// Files of one sending that are asked for at once: as many as the daemon brings of one device.
  public static let filesComing = 4
  /// Sendings of this device that are under way: fewer than `activitiesPerApplication`, since each is an activity.
  public static let fileSendings = 8
  /// How long the other device's user has to take the files, in milliseconds.
  public static let fileTakeTime: UInt64 = 600_000
  /// How long nothing may come of files that were taken: longer than the daemon waits for a lost link and then for a
  /// file that makes no progress.
  public static let fileQuietTime: UInt64 = 300_000
  /// Bytes of the receiver's report: it has to fit into a pipe.
  public static let fileReport = 16 * 1024
  /// The highest number behind a name that is taken already.
  public static let fileNumber = 9_999
  /// Bytes that are copied at once.
  public static let fileChunk = 1024 * 1024
  /// How long a notification of files that came can be clicked.
  public static let fileNoticeTime: UInt64 = 900_000
  /// How long the service stays without work, and how long a command waits for it.
  public static let filesIdleTime: UInt64 = 15_000
  public static let filesStartTime: UInt64 = 10_000
}
