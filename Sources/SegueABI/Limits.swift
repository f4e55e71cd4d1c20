import SegueCore

extension Limits {
  // MARK: Activities
  /// Objects that one restoration handler takes.
  public static let restorables = 4096
}
