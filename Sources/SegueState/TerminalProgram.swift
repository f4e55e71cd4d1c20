import Glibc
import SegueCore

/// The program that opens a terminal's window.
public enum TerminalProgram {
  /// The arguments between such a program's name and the command that it is to run, where they are not `-e`.
  private static let conventions: [String: [String]] = [
    "xdg-terminal-exec": [], "foot": [], "kitty": [], "gnome-terminal": ["--"], "kgx": ["--"], "ptyxis": ["--"],
    "tilix": ["-e"], "wezterm": ["start", "--"], "xfce4-terminal": ["-x"], "mate-terminal": ["-x"],
    "terminator": ["-x"],
  ]
  private static let known = [
    "xdg-terminal-exec", "x-terminal-emulator", "gnome-terminal", "kgx", "ptyxis", "konsole", "xfce4-terminal",
    "mate-terminal", "lxterminal", "qterminal", "foot", "alacritty", "kitty", "wezterm", "tilix", "terminator", "st",
    "urxvt", "xterm",
  ]

  /// The commands that may open a terminal in which `command` runs, the user's choice first.
  public static func candidates(_ command: [String], chosen: String?) -> [[String]] {
    let own = chosen.map { $0.isEmpty ? [] : [$0] } ?? []
    return (own + known).map { program in
      let name = program.parts(at: "/").last ?? program
      return [program] + (conventions[name] ?? ["-e"]) + command
    }
  }

  /// Whether one can be opened from here: over ssh, or on a console, there is no display to open it on. The user's own
  /// choice may need none.
  public static var isThere: Bool {
    let chosen = getenv("TERMINAL").map { String(cString: $0) } ?? ""
    if !chosen.isEmpty, find(chosen) != nil { return true }
    let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { (name: String) in
      getenv(name).map { $0.pointee != 0 } ?? false
    }
    return hasDisplay && known.contains { find($0) != nil }
  }

  /// Starts the first that is installed, by `start`, which gets its words and says whether it could. False where none is.
  public static func start(_ command: [String], _ start: ([String]) -> Bool) -> Bool {
    for candidate in candidates(command, chosen: getenv("TERMINAL").map({ String(cString: $0) })) {
      guard let path = find(candidate[0]) else { continue }
      if start([path] + candidate.dropFirst()) { return true }
    }
    return false
  }

  private static func find(_ program: String) -> String? {
    if program.has("/") { return access(program, X_OK) == 0 ? program : nil }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    return path.parts(at: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
  }
}
