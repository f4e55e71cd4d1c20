import ArgumentParser
import SegueCore
import SegueState
import SegueTeam

extension TeamCommand {
  struct Sign: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a team's manifest, or a newer one in its place.",
      discussion: """
        A manifest that is there already gives what is not said here, and its serial grows by one: devices that have \
        seen the newer one take no older one any more. So leaving an application out revokes it.

        Examples:
          segue team sign editors.key --app org.example.Editor --app org.example.Viewer
          segue team sign editors.key share/segue/teams --expires 2028-12-31
          segue team sign editors.key share/segue/teams --successor new.key
        """)

    @Argument(help: "The team's current key.", completion: .file(extensions: ["key"]))
    var key: String

    @Argument(help: "The manifest, or its folder; without it, the working folder.", completion: .file())
    var file: String = "."

    @Option(name: .customLong("app"), help: ArgumentHelp("An application of the team.", valueName: "app-id"))
    var applications: [String] = []

    @Option(name: .customLong("type"), help: "An activity type that the team shares; without any: all.")
    var types: [String] = []

    @Option(help: "The last day on which it is good, as in 2028-12-31; without it, a year from now.")
    var expires: String?

    @Option(help: ArgumentHelp("A new key, which takes the current one's place.", valueName: "key"))
    var successor: String?

    func perform() throws(CommandFailure) {
      let (manifest, path) = try CommandFailure.mapping(.failed) { () throws(SegueError) in try sign() }
      try Terminal.print(TeamCommand.Show.text(manifest))
      try Terminal.print("\nWritten: \(DisplayText.clean(path, maximum: Limits.sentenceLength))")
      try Terminal.print("Install it as share/segue/teams/\(manifest.fileName).")
    }

    private func sign() throws(SegueError) -> (TeamManifest, String) {
      let key = try ManifestFile.key(self.key)
      let path = file.ends(with: TeamManifest.suffix) ? file : file + "/" + (try name(of: key))
      var manifest = try base(key, path)
      if !applications.isEmpty { manifest.applications = try applications.map(Self.application) }
      if !types.isEmpty { manifest.types = try types.map(Self.type) }
      guard !manifest.applications.isEmpty else {
        throw SegueError(.invalidArgument, "A team needs applications.", advice: "Name them with --app.")
      }
      manifest.expires = try lastDay()
      var signer = key
      if let successor {
        signer = try ManifestFile.key(successor)
        try manifest.replaceKey(key, by: signer)
      }
      try File.replace(path, Array(try manifest.signed(by: signer).utf8), mode: 0o644)
      return (manifest, path)
    }

    /// In a folder: the one manifest that this key signs for, else the one of the team that begins with it.
    private func name(of key: TeamKey) throws(SegueError) -> String {
      for name in File.names(in: file) where name.ends(with: TeamManifest.suffix) {
        if let manifest = try? ManifestFile.read(file + "/" + name), manifest.keys.last == key.publicKey { return name }
      }
      return key.team + TeamManifest.suffix
    }

    private func base(_ key: TeamKey, _ path: String) throws(SegueError) -> TeamManifest {
      let today = CivilDate(seconds: secondsSince1970())
      guard try File.read(path) != nil else {
        return TeamManifest(of: key, expires: today, applications: [])
      }
      var manifest = try ManifestFile.read(path)
      manifest.serial &+= 1
      return manifest
    }

    private func lastDay() throws(SegueError) -> CivilDate {
      guard let expires else { return CivilDate(seconds: secondsSince1970() + 365 * 86_400) }
      guard let day = CivilDate(expires), day.end > secondsSince1970() else {
        throw SegueError(
          .invalidArgument, "\(DisplayText.clean(expires)) is not a day to come.", advice: "Write it as 2028-12-31.")
      }
      return day
    }

    private static func application(_ text: String) throws(SegueError) -> AppID {
      guard let id = AppID(text) else {
        throw SegueError(.invalidArgument, "\(DisplayText.clean(text)) is not an application id.")
      }
      return id
    }

    private static func type(_ text: String) throws(SegueError) -> ActivityType {
      guard let type = ActivityType(text) else {
        throw SegueError(.invalidArgument, "\(DisplayText.clean(text)) is not an activity type.")
      }
      return type
    }
  }
}
