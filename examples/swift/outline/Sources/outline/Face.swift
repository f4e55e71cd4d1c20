/// How the outline meets its user: a terminal, or a window.
@MainActor
protocol Face: AnyObject {
  /// Something has happened.
  func say(_ line: String)
  /// It is known whether an activity of another device is coming: at the start, when one begins to come, and when it will not.
  func settled(_ controller: Controller)
  /// The outline, the selection or the line that is written is another one than the user had made it.
  func show(_ controller: Controller)
}
