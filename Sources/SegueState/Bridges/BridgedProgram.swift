/// A program that segue-bridge acts for: how it is found, shown and started. All of it is ours, and nothing another device's.
public struct BridgedProgram: Equatable, Sendable {
  /// The way in which it is read and driven.
  public enum Way: Sendable { case player, zathura, okular, evince }

  /// The user's word for it in `segue bridge`, in small letters.
  public let name: String
  /// Its name for people.
  public let title: String
  /// The name of a themed icon.
  public let icon: String
  public let way: Way
  /// The activity type that it takes part with.
  public let type: String
  /// The programs that it may be, the one to start first.
  public let programs: [String]
  /// The arguments with which it waits for something to open.
  public let arguments: [String]
  /// The ids of its desktop files, without `.desktop`.
  public let desktopFiles: [String]
  /// Its names on the session bus.
  public let busNames: [String]
  /// The marks behind such a name in that of a process of its own.
  public let processMarks: [String]
  /// The applications that take part from inside it, by a plugin: they come first.
  public let inside: [String]

  /// As which application segue-bridge takes part for it.
  public var appID: String {
    let first = name.utf8.first.map { $0 &- 32 } ?? 0
    return "org.segue.Bridge." + String(decoding: [first] + name.utf8.dropFirst(), as: UTF8.self)
  }

  /// Whether it has this name on the session bus.
  public func has(busName: String) -> Bool {
    busNames.contains { name in
      guard let rest = busName.rest(after: name) else { return false }
      return rest.isEmpty || processMarks.contains { rest.begins(with: $0) }
    }
  }

  /// The path of the first of its programs that is installed; nil where none is.
  public func installedPath(_ settings: RegistrySettings) -> String? {
    for name in programs {
      if let path = settings.program(name) { return path }
    }
    return nil
  }

  private static let player = "org.mpris.MediaPlayer2."

  private static func player(
    _ name: String, _ title: String, icon: String? = nil, arguments: [String] = [], desktopFiles: [String],
    busNames: [String]? = nil, inside: [String] = []
  ) -> BridgedProgram {
    BridgedProgram(
      name: name, title: title, icon: icon ?? name, way: .player, type: "org.segue.open.Media", programs: [name],
      arguments: arguments, desktopFiles: desktopFiles, busNames: (busNames ?? [name]).map { player + $0 },
      processMarks: [".instance"], inside: inside)
  }

  private static func reader(
    _ name: String, _ title: String, icon: String, _ way: Way, desktopFiles: [String], busName: String,
    processMarks: [String] = []
  ) -> BridgedProgram {
    BridgedProgram(
      name: name, title: title, icon: icon, way: way, type: "org.segue.open.Reading", programs: [name],
      arguments: [], desktopFiles: desktopFiles, busNames: [busName], processMarks: processMarks, inside: [])
  }

  /// All that are known. Programs that are not listed are never read: what else is on the bus may be a phone's player,
  /// a proxy for players, or a browser with a page of a private window.
  public static let all: [BridgedProgram] = [
    player("vlc", "VLC media player", desktopFiles: ["vlc", "org.videolan.VLC"]),
    player(
      "mpv", "mpv", arguments: ["--idle", "--force-window"], desktopFiles: ["mpv", "io.mpv.Mpv"],
      inside: ["org.segue.Mpv"]),
    player(
      "celluloid", "Celluloid", icon: "io.github.celluloid_player.Celluloid",
      desktopFiles: ["io.github.celluloid_player.Celluloid"],
      busNames: ["io.github.celluloid_player.Celluloid", "io.github.GnomeMpv"]),
    player(
      "totem", "Videos", icon: "org.gnome.Totem", desktopFiles: ["org.gnome.Totem", "totem"],
      busNames: ["totem", "org.gnome.Totem"]),
    player(
      "rhythmbox", "Rhythmbox", icon: "org.gnome.Rhythmbox3",
      desktopFiles: ["org.gnome.Rhythmbox3", "rhythmbox"], busNames: ["rhythmbox", "org.gnome.Rhythmbox3"]),
    player(
      "strawberry", "Strawberry", desktopFiles: ["org.strawberrymusicplayer.strawberry", "strawberry"]),
    reader(
      "zathura", "Zathura", icon: "org.pwmt.zathura", .zathura, desktopFiles: ["org.pwmt.zathura"],
      busName: "org.pwmt.zathura", processMarks: [".PID-"]),
    reader(
      "okular", "Okular", icon: "okular", .okular, desktopFiles: ["org.kde.okular", "okular"],
      busName: "org.kde.okular", processMarks: ["-", ".Instance_"]),
    reader(
      "evince", "Document Viewer", icon: "org.gnome.Evince", .evince, desktopFiles: ["org.gnome.Evince", "evince"],
      busName: "org.gnome.evince.Daemon"),
  ]

  /// The one that the user calls so; nil where none is known.
  public static func named(_ name: String) -> BridgedProgram? { all.first { $0.name == name } }
}
