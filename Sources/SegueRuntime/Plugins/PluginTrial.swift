/// Who only tries a plugin, in a process of its own, is told what comes next, so that a crash has a name; and everything
/// in which library and metadata differ, and of results that segue/plugin.h does not know.
public struct PluginTrial {
  let enters: (String) -> Void
  let differs: ([String]) -> Void
  private let returned: ((String) -> Void)?

  /// `enters`: with what runs next, as "init". `returned`: with a sentence on a function that returned neither 0 nor a
  /// negative errno.
  public init(
    enters: @escaping (String) -> Void = { _ in }, differs: @escaping ([String]) -> Void = { _ in },
    returned: ((String) -> Void)? = nil
  ) {
    self.enters = enters
    self.differs = differs
    self.returned = returned
  }

  /// A function of the plugin's has returned. Applications take a result above 0 for 0.
  func note(_ result: Int32, of function: String, by name: @autoclosure () -> String) {
    guard result > 0, let returned else { return }
    returned("\(name()): \(function) has returned \(result), and is to return 0 or a negative errno")
  }
}
