import SegueCore

/// The service's bounds in time, in milliseconds. Tests set them.
struct FilesTimes: Equatable {
  var take = Limits.fileTakeTime
  var quiet = Limits.fileQuietTime
  var notice = Limits.fileNoticeTime
  var idle = Limits.filesIdleTime

  init() {}

  /// Four numbers with commas between them. Nil for anything else.
  init?(_ text: String) {
    let numbers = text.parts(at: ",", omittingEmpty: false).map { UInt64($0) }
    guard numbers.count == 4, let take = numbers[0], let quiet = numbers[1], let notice = numbers[2],
      let idle = numbers[3], [take, quiet, notice, idle].allSatisfy({ $0 <= Limits.fileNoticeTime })
    else { return nil }
    (self.take, self.quiet, self.notice, self.idle) = (take, quiet, notice, idle)
  }
}
