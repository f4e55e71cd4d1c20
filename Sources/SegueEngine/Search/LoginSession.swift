/// A session of the user, as logind describes it (org.freedesktop.login1(5)). A property that logind did not send is nil.
public struct LoginSession: Sendable {
  /// "x11", "wayland", "tty" and others.
  var type: String?
  /// "user", "greeter" and others.
  var `class`: String?
  var isLocked: Bool?

  public init(type: String?, class: String?, isLocked: Bool?) {
    self.type = type
    self.class = `class`
    self.isLocked = isLocked
  }

  /// Only a session with a screen can be locked.
  private var hasScreen: Bool {
    guard let type, isLocked != nil else { return false }
    return ["x11", "wayland", "mir"].contains(type) && `class` == "user"
  }

  /// Whether nobody can be looking at a screen of the user: there is one, and all are locked.
  public static func areLocked(_ sessions: [LoginSession]) -> Bool {
    let screens = sessions.filter(\.hasScreen)
    return !screens.isEmpty && screens.allSatisfy { $0.isLocked == true }
  }
}
