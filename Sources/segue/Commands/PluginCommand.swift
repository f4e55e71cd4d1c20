import ArgumentParser
import Glibc
import SegueCore

struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "For developers: what plugins restore, and whether they do.",
    discussion: """
      A plugin is a shared library with objects that an application can save and restore as parts of its activities. \
      docs/plugins.md tells how one is written.

      Examples:
        segue plugin list
        segue plugin show org.segue.text-position
        segue plugin new org.example.place
        segue plugin check build/org.example.place.so
      """,
    subcommands: [List.self, Show.self, Check.self, New.self])
}

extension PluginCommand {
  struct List: FailingCommand {
    static let configuration = CommandConfiguration(abstract: "List the plugins that are installed.")

    @Option(help: ArgumentHelp("Look in this folder instead.", valueName: "dir"), completion: .directory)
    var folder: String?

    @Flag(help: "Print JSON: an array of objects; one that cannot be read has an error.")
    var json = false

    func perform() throws(CommandFailure) {
      let folders = try CommandFailure.mapping(.failed) { () throws(SegueError) in try self.folders() }
      let places = folders.flatMap { PluginPlace.all(in: $0) }
      try Terminal.print(json ? Self.json(places) : Self.text(places, folders))
    }

    private func folders() throws(SegueError) -> [String] {
      guard let folder else { return try Installation.current().pluginFolders }
      guard access(folder, R_OK | X_OK) == 0 else {
        throw SegueError(
          .notFound,
          "\(DisplayText.clean(folder, maximum: Limits.shownPath)) cannot be read: \(String(cString: strerror(errno)))."
        )
      }
      return [folder]
    }

    /// A broken one is a line of its own, after the table.
    static func text(_ places: [PluginPlace], _ folders: [String]) -> String {
      guard !places.isEmpty else {
        return folders.isEmpty
          ? "No plugins are installed." : "There are no plugins in \(folders.joined(separator: ", "))."
      }
      var table = Table(["ID", "VERSION", "NAME", "FILE"])
      var broken: [String] = []
      for place in places {
        do throws(SegueError) {
          let metadata = try place.read()
          table.add([metadata.id.string, metadata.version, metadata.name, place.library], maximum: Limits.shownPath)
        } catch {
          broken.append("error: " + DisplayText.clean(error.message, maximum: Limits.sentenceLength))
        }
      }
      return ((broken.count < places.count ? table.lines(fitting: Terminal.width) : []) + broken).joined(
        separator: "\n")
    }

    static func json(_ places: [PluginPlace]) -> String {
      let objects = places.map { place in
        do throws(SegueError) {
          return PluginText.json(try place.read(), place)
        } catch {
          return JSONText.object([
            ("file", JSONText.string(place.library)), ("error", JSONText.string(error.message)),
            ("advice", JSONText.string(error.advice)),
          ])
        }
      }
      return JSONText.array(of: objects)
    }
  }

  struct Show: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what a plugin says that it restores.",
      discussion: "It is read from the metadata; the plugin is not loaded.")

    @Argument(
      help: "One of the plugin's two files, or the id of an installed one.",
      completion: .file(extensions: ["so", "plugin"]))
    var file: String

    @Flag(help: "Print JSON: an object.")
    var json = false

    func perform() throws(CommandFailure) {
      let (place, metadata) = try CommandFailure.mapping(.failed) { () throws(SegueError) in
        let place = try PluginPlace.named(file)
        return (place, try place.read())
      }
      try Terminal.print(json ? PluginText.json(metadata, place) : PluginText.page(metadata, place))
    }
  }
}
