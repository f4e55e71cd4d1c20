/// Who only tries a plugin, in a process of its own, is told what comes next, so that a crash has a name; and everything
/// in which library and metadata differ.
public struct PluginTrial {
  let enters: (String) -> Void
  let differs: ([String]) -> Void

  /// `enters`: with what runs next, as "init".
  public init(enters: @escaping (String) -> Void = { _ in }, differs: @escaping ([String]) -> Void = { _ in }) {
    self.enters = enters
    self.differs = differs
  }
}
