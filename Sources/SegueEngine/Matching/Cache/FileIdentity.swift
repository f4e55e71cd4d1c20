import SegueCore

/// What the kernel says of a file without opening it. As long as nothing of it changes, the file has the content, the
/// owner and the mode that it had.
public struct FileIdentity: Hashable, Sendable {
  public var device: UInt64
  public var inode: UInt64
  public var size: UInt64
  /// When its content, owner or mode changed, in nanoseconds since 1970. No program can set that back.
  public var changed: Int64
  /// When its content changed, as its owner may have set it.
  public var modified: Int64
  public var owner: UInt32
  public var mode: UInt32
  public var links: UInt64

  public init(
    device: UInt64, inode: UInt64, size: UInt64, changed: Int64, modified: Int64, owner: UInt32, mode: UInt32,
    links: UInt64
  ) {
    self.device = device
    self.inode = inode
    self.size = size
    self.changed = changed
    self.modified = modified
    self.owner = owner
    self.mode = mode
    self.links = links
  }

  /// Whether the next change will show: a file that was changed just before it was read may be changed again within
  /// the same tick of the file system's clock. So may one whose times lie ahead.
  public func isSettled(at reading: Int64) -> Bool {
    let (latest, isBeyond) = reading.subtractingReportingOverflow(Int64(Limits.settlingTime) * 1_000_000)
    return !isBeyond && changed < latest && modified < latest
  }
}
