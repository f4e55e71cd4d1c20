/// A program that segue-bridge acts for: how it is found, shown and started. All of it is ours, and nothing another device's.
public struct BridgedProgram: Equatable, Sendable {
  /// The way in which it is read and driven.
  public enum Way: Sendable {
    case player, zathura, okular, evince, nautilus, calibre, textEditor, office, conversation
  }

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
  /// Whether it is started with the address that it is to open, since it does not take one before its window is there.
  public var opensArgument = false
  /// The ids of its desktop files, without `.desktop`.
  public let desktopFiles: [String]
  /// Its names on the session bus.
  public let busNames: [String]
  /// The marks behind such a name in that of a process of its own.
  public let processMarks: [String]
  /// The applications that take part from inside it, by a plugin: they come first.
  public let inside: [String]
  /// Whether it can be read; all can restore.
  public var reads = true
  /// A sentence for the user who switches it on; empty where there is none.
  public var caution = ""
  /// Other programs and packages that it needs.
  public var needs: [BridgeNeed] = []

  /// Whether a document that is not here is brought for it, and given to other devices where the user says so.
  public var bringsFiles: Bool { type == "org.segue.open.Reading" }

  /// As which application segue-bridge takes part for it.
  public var appID: String {
    "org.segue.Bridge."
      + name.parts(at: "-").map { part in
        String(decoding: part.utf8.prefix(1).map { $0 &- 32 } + part.utf8.dropFirst(), as: UTF8.self)
      }.joined()
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

  /// The advice to a user who lacks the program, or something that it needs; empty where nothing is missing.
  public func missing(_ settings: RegistrySettings) -> String {
    guard let path = installedPath(settings) else { return "Install \(programs.joined(separator: " or ")) here." }
    return needs.first { !$0.isThere(for: path) }.map { "Install \($0.package), without which \($0.without)." } ?? ""
  }

  private static let player = "org.mpris.MediaPlayer2."

  private static func player(
    _ name: String, _ title: String, icon: String? = nil, arguments: [String] = [], desktopFiles: [String],
    busNames: [String]? = nil, inside: [String] = [], needs: [BridgeNeed] = [], opensArgument: Bool = false
  ) -> BridgedProgram {
    BridgedProgram(
      name: name, title: title, icon: icon ?? name, way: .player, type: "org.segue.open.Media", programs: [name],
      arguments: arguments, opensArgument: opensArgument, desktopFiles: desktopFiles,
      busNames: (busNames ?? [name]).map { player + $0 },
      processMarks: [".instance"], inside: inside, needs: needs)
  }

  private static func reader(
    _ name: String, _ title: String, icon: String, _ way: Way, desktopFiles: [String], busName: String,
    processMarks: [String] = [], needs: [BridgeNeed] = []
  ) -> BridgedProgram {
    BridgedProgram(
      name: name, title: title, icon: icon, way: way, type: "org.segue.open.Reading", programs: [name],
      arguments: [], desktopFiles: desktopFiles, busNames: [busName], processMarks: processMarks, inside: [],
      needs: needs)
  }

  private static func conversation(
    _ name: String, _ title: String, program: String, caution: String = ""
  ) -> BridgedProgram {
    BridgedProgram(
      name: name, title: title, icon: "utilities-terminal", way: .conversation, type: "org.segue.open.Conversation",
      programs: [program], arguments: [], desktopFiles: [name], busNames: [], processMarks: [], inside: [],
      caution: "A conversation that you leave can go to your other devices now, with all that stands in it. " + caution)
  }

  /// All that are known. Programs that are not listed are never read: what else is on the bus may be a phone's player,
  /// a proxy for players, or a browser with a page of a private window.
  public static let all: [BridgedProgram] = [
    player("vlc", "VLC media player", desktopFiles: ["vlc", "org.videolan.VLC"], opensArgument: true),
    player(
      "mpv", "mpv", arguments: ["--idle", "--force-window"], desktopFiles: ["mpv", "io.mpv.Mpv"],
      inside: ["org.segue.Mpv"],
      needs: [
        BridgeNeed(
          package: "mpv-mpris", without: "it is neither seen nor driven",
          files: ["/etc/mpv/scripts/mpris.so", "~/.config/mpv/scripts/mpris.so"])
      ]),
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
      busName: "org.gnome.evince.Daemon",
      needs: [
        BridgeNeed(
          package: "libglib2.0-bin and gvfs", without: "its page is not known",
          files: ["/usr/share/dbus-1/services/org.gtk.vfs.Metadata.service"])
      ]),
    BridgedProgram(
      name: "nautilus", title: "Files", icon: "org.gnome.Nautilus", way: .nautilus, type: "org.segue.open.Folder",
      programs: ["nautilus"], arguments: [], desktopFiles: ["org.gnome.Nautilus"], busNames: ["org.gnome.Nautilus"],
      processMarks: [], inside: []),
    BridgedProgram(
      name: "calibre", title: "E-book viewer", icon: "calibre-viewer", way: .calibre, type: "org.segue.open.Reading",
      programs: ["ebook-viewer"], arguments: [], desktopFiles: ["calibre-ebook-viewer"], busNames: [],
      processMarks: [], inside: []),
    BridgedProgram(
      name: "gnome-text-editor", title: "Text Editor", icon: "org.gnome.TextEditor", way: .textEditor,
      type: "org.segue.open.Text", programs: ["gnome-text-editor"], arguments: [],
      desktopFiles: ["org.gnome.TextEditor"],
      busNames: ["org.gnome.TextEditor"], processMarks: [], inside: [], reads: false,
      needs: [
        BridgeNeed(
          package: "libglib2.0-bin and gvfs-daemons", without: "a text opens where you left it here",
          files: ["/usr/share/dbus-1/services/org.gtk.vfs.Metadata.service"])
      ]),
    BridgedProgram(
      name: "libreoffice", title: "LibreOffice", icon: "libreoffice-startcenter", way: .office,
      type: "org.segue.open.Reading", programs: ["soffice", "libreoffice"], arguments: ["--nologo", "--nodefault"],
      desktopFiles: ["libreoffice-startcenter", "libreoffice-writer", "libreoffice-impress", "libreoffice-calc"],
      busNames: [], processMarks: [], inside: [],
      needs: [
        BridgeNeed(
          package: "python3-uno", without: "it is neither read nor driven",
          files: [BridgeNeed.beside + "/pyuno.so", BridgeNeed.beside + "/python"])
      ]),
    conversation(
      "codex", "Codex", program: "codex",
      caution:
        "Codex may work on in the background when you have left it, and holds the conversation for a while: end that "
        + "with codex agents before you go on elsewhere."),
    conversation("claude-code", "Claude Code", program: "claude"),
  ]

  /// The one that the user calls so; nil where none is known.
  public static func named(_ name: String) -> BridgedProgram? { all.first { $0.name == name } }
}
