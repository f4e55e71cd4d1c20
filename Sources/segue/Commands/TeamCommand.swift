import ArgumentParser
import Glibc
import SegueCore
import SegueState
import SegueTeam

struct TeamCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "team",
    abstract: "For developers: group applications that continue each other's activities.",
    discussion: """
      A team is a key. Its manifest lists applications; where it is installed, they may continue each other's \
      activities. docs/teams.md tells what that proves.

      Examples:
        segue team new editors.key
        segue team sign editors.key --app org.example.Editor --app org.example.Viewer
        segue team show 4dx…q.manifest
      """,
    subcommands: [New.self, Sign.self, Show.self])
}

extension TeamCommand {
  struct New: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a team: a new key, in a file that only you can read.",
      discussion: """
        Whoever has the file can sign for the team, and without it nobody can: keep a copy in a safe place.

        Example:
          segue team new editors        writes editors.key
        """)

    @Argument(help: "The key's file, or a name, to which .key is added.", completion: .file())
    var file: String

    func perform() throws(CommandFailure) {
      let path = file.ends(with: ".key") || file.utf8.contains(UInt8(ascii: "/")) ? file : file + ".key"
      let key = TeamKey()
      try CommandFailure.mapping(.failed) { () throws(SegueError) in
        try File.create(path, Array(key.text.utf8))
      }
      try Terminal.print(
        """
        The key is in \(DisplayText.clean(path)). The team is called
        \(key.team)
        Write X-Segue-Team=\(key.team) into the applications' desktop files, then sign a manifest:
        segue team sign \(ShellText.quote(path)) --app …
        """)
    }
  }

  struct Show: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify a manifest, and show what it says.",
      discussion: """
        The exit status is 1 if something is wrong with it. Whether a device has seen a newer one only that device \
        knows; `segue explain` tells there.
        """)

    @Argument(help: "The manifest.", completion: .file(extensions: ["manifest"]))
    var file: String

    func perform() throws(CommandFailure) {
      let manifest = try CommandFailure.mapping(.failed) { () throws(SegueError) in
        try ManifestFile.read(file)
      }
      try Terminal.print(Self.text(manifest))
      let name = file.parts(at: "/").last ?? ""
      if !name.isSame(as: manifest.fileName) {
        throw CommandFailure(
          .failed,
          SegueError(
            .invalidArgument, "The file should be called \(manifest.fileName).",
            advice: "No device accepts it under another name."))
      }
      if manifest.expires.end <= secondsSince1970() {
        throw CommandFailure(
          .failed, SegueError(.invalidArgument, "The manifest has expired.", advice: "Sign it again."))
      }
    }

    /// The page for a person.
    static func text(_ manifest: TeamManifest) -> String {
      var table = Table()
      table.add(["team", manifest.team])
      table.add(["serial", "\(manifest.serial)"])
      table.add(["expires", "after \(manifest.expires.description)"])
      table.add(["keys", manifest.keys.count == 1 ? "1" : "\(manifest.keys.count), the last one signs"])
      for (index, id) in manifest.applications.enumerated() {
        table.add([index == 0 ? "applications" : "", id.string])
      }
      if manifest.types.isEmpty { table.add(["types", "all"]) }
      for (index, type) in manifest.types.enumerated() { table.add([index == 0 ? "types" : "", type.string]) }
      return table.lines.joined(separator: "\n")
    }
  }
}
