import CDBus
import SegueCore

extension Message {
  /// The error name of an error message, nil for other messages.
  public var errorName: String? { dbus_message_get_error_name(raw).map { String(cString: $0) } }

  /// The error of an error message, nil for other messages. Names of `org.segue.Error` become their codes. Other names
  /// become `.connectionUnavailable` if they say that no program answers, else `.system`; these names, which mean
  /// nothing to a person, are in `errorName` alone.
  public var error: SegueError? {
    guard kind == .error, let name = errorName else { return nil }
    var texts: [String] = []
    // An error may have any arguments; only the leading strings are read.
    do throws(SegueError) {
      for value in try arguments() {
        guard let text = value.asString else { break }
        texts.append(text)
      }
    } catch {}
    let text = texts.first ?? ""
    if let code = SegueError.Code(busName: name) {
      return SegueError(code, text, advice: texts.count > 1 ? texts[1] : "")
    }
    return SegueError(
      Self.unavailable.contains(name) ? .connectionUnavailable : .system,
      text.isEmpty ? "It failed, and gave no reason." : text)
  }

  private static var unavailable: [String] {
    [
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected",
      "org.freedesktop.DBus.Error.NoServer", "org.freedesktop.DBus.Error.Timeout",
      "org.freedesktop.DBus.Error.TimedOut",
    ]
  }
}
