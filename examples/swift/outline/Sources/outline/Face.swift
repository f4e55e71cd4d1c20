/// How the outline meets its user: a terminal, or a window.
@MainActor
protocol Face: AnyObject {
  /// Something has happened.
  func say(_ line: String)
  /// The outline, the selection or the line that is written is another one than the user had made it.
  func show(_ controller: Controller)
}
