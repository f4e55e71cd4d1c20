import CLinux
import SegueCore

/// Flatpak's sandbox, if this process is in one, and what its filter of the bus refuses.
///
/// The filter (xdg-dbus-proxy) answers as if a name that the sandbox may not see did not exist, and with AccessDenied where
/// it may see the name and no more. The bus itself answers with AccessDenied what its policy does not allow.
public enum Sandbox {
  /// Whether Flatpak started this process. The file is Flatpak's own, where no application can write.
  public static var isFlatpak: Bool { access("/.flatpak-info", F_OK) == 0 }

  static let hidden = "org.freedesktop.DBus.Error.ServiceUnknown"
  static let denied = "org.freedesktop.DBus.Error.AccessDenied"

  /// Why a name cannot be owned.
  static func refusal(of name: BusName) -> SegueError {
    guard isFlatpak else {
      return SegueError(
        .accessDenied, "The session bus does not let this program own the name \(name.string).",
        advice: "See the policy of the bus, or of the sandbox that the program runs in.")
    }
    return SegueError(
      .accessDenied, "This Flatpak may not own the name \(name.string).",
      advice: "A Flatpak may own names below its own id: register with that id. Any other name needs the permission "
        + "--own-name=\(name.string).")
  }

  /// Why the daemon cannot be asked. `isHidden`: it looks as if there were none.
  public static func refusalOfDaemon(isHidden: Bool) -> SegueError {
    let name = SegueAddress.daemonName.string
    if isFlatpak {
      return SegueError(
        .accessDenied, "This Flatpak may not talk to the Segue daemon, or none is installed outside of it.",
        advice: "Give it the permission --talk-name=\(name), for instance with flatpak override, and start it again.")
    }
    guard isHidden else {
      return SegueError(
        .accessDenied, "The session bus does not let this program talk to the Segue daemon.",
        advice: "See the policy of the bus, or of the sandbox that the program runs in: the name is \(name).")
    }
    return SegueError(
      .connectionUnavailable, "The Segue daemon is not installed, or the session bus does not know it.",
      advice: "Install segued, or start it by hand.")
  }
}
