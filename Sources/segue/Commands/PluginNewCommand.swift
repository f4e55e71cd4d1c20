import ArgumentParser
import SegueCore

extension PluginCommand {
  struct New: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start a plugin: copy the template, with its names filled in.",
      discussion: """
        The copy builds as it is, and passes its test: change it from there.

        Examples:
          segue plugin new org.example.place        writes into the folder org.example.place
          segue plugin new org.example.place --language swift
        """)

    @Argument(help: "The plugin's id: a reversed domain name of yours.")
    var name: String

    @Option(
      help: ArgumentHelp("The folder to write into; without it, one of the id's name.", valueName: "dir"),
      completion: .directory)
    var folder: String?

    @Option(help: "The language: c or swift.")
    var language = PluginTemplate.Language.c

    func perform() throws(CommandFailure) {
      let (id, folder) = try CommandFailure.mapping(.failed) { () throws(SegueError) in
        guard let id = PluginID(name) else {
          throw SegueError(
            .invalidArgument, "\(DisplayText.clean(name)) is not an id of a plugin.",
            advice: "It is a reversed domain name, such as org.example.place.")
        }
        let folder = self.folder ?? id.string
        try PluginTemplate(folder: Installation.current().pluginTemplate(language)).copy(to: folder, as: id)
        return (id, folder)
      }
      try Terminal.print(
        """
        \(id.string) is in \(DisplayText.clean(folder, maximum: Limits.shownPath)). It counts, to begin with. Build it and try it:
          cd \(ShellText.quote(folder))
          make check
        Then change what it holds; its README tells where.
        """)
    }
  }
}
