/// The reports to a program that only tries a plugin, in a process of its own: the step that comes next, so that a
/// crash has a name; all differences between library and metadata; and results that segue/plugin.h does not allow.
public struct PluginTrial {
  let enters: (String) -> Void
  let differs: ([String]) -> Void
  private let returned: ((String) -> Void)?

  /// `enters`: called with the step that runs next, as "init". `returned`: called with a sentence on a function that
  /// returned neither 0 nor a negative errno.
  public init(
    enters: @escaping (String) -> Void = { _ in }, differs: @escaping ([String]) -> Void = { _ in },
    returned: ((String) -> Void)? = nil
  ) {
    self.enters = enters
    self.differs = differs
    self.returned = returned
  }

  /// Checks the result of a function of the plugin. Applications take a result above 0 for 0.
  func note(_ result: Int32, of function: String, by name: @autoclosure () -> String) {
    guard result > 0, let returned else { return }
    returned("\(name()): \(function) has returned \(result), and is to return 0 or a negative errno")
  }
}
