import ArgumentParser
import SegueCore
import SegueState

struct BridgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bridge",
    abstract: "Let programs take part that know nothing of Segue.",
    discussion: """
      segue-bridge reads and drives them from outside. None is bridged until you enable it: what it shows is on offer on \
      your other devices then, and theirs can be continued in it.

      Examples:
        segue bridge list
        segue bridge enable vlc
        segue bridge disable vlc
      """,
    subcommands: [List.self, Enable.self, Disable.self])
}

extension BridgeCommand {
  struct List: FailingCommand {
    static let configuration = CommandConfiguration(abstract: "Show the programs that can be bridged.")

    @Flag(help: "Print JSON: an array of objects.")
    var json = false

    func perform() throws(CommandFailure) {
      let choices = try Bridges.choices()
      let settings = RegistrySettings.current()
      let rows = BridgedProgram.all.map { Row($0, choices, settings) }
      try Terminal.print(json ? "[" + rows.map(\.json).joined(separator: ", ") + "]" : Row.text(rows))
    }
  }

  struct Enable: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Bridge a program.",
      discussion: """
        Example:
          segue bridge enable vlc mpv
          segue bridge enable okular --files
        """)

    @Argument(help: "The programs' names, as the list has them.")
    var programs: [String]

    @Flag(help: "Let your other devices have a document that they continue and do not have. Without it they may not.")
    var files = false

    func validate() throws {
      try Bridges.check(programs)
      if files { try Bridges.checkFiles(programs) }
    }

    func perform() throws(CommandFailure) { try Bridges.set(programs, true, givesFiles: files) }
  }

  struct Disable: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop bridging a program.",
      discussion: """
        Example:
          segue bridge disable vlc
        """)

    @Argument(help: "The programs' names, as the list has them.")
    var programs: [String]

    func validate() throws { try Bridges.check(programs) }
    func perform() throws(CommandFailure) { try Bridges.set(programs, false) }
  }

  /// A line of the listing.
  struct Row {
    let program: BridgedProgram
    let isEnabled: Bool
    let givesFiles: Bool
    let isInstalled: Bool
    /// The advice to a user who lacks something.
    let missing: String

    init(_ program: BridgedProgram, _ choices: BridgeChoices, _ settings: RegistrySettings) {
      (self.program, isEnabled, givesFiles) = (program, choices.has(program), choices.givesFiles(program))
      (isInstalled, missing) = (program.installedPath(settings) != nil, program.missing(settings))
    }

    var json: String {
      JSONText.object([
        ("name", JSONText.string(program.name)), ("title", JSONText.string(program.title)),
        ("type", JSONText.string(program.type)), ("app", JSONText.string(program.appID)),
        ("enabled", isEnabled ? "true" : "false"), ("installed", isInstalled ? "true" : "false"),
        ("reads", program.reads ? "true" : "false"), ("restores", "true"),
        ("files", givesFiles ? "true" : "false"), ("missing", JSONText.string(missing)),
      ])
    }

    /// The listing for a person.
    static func text(_ rows: [Row]) -> String {
      var table = Table(["NAME", "PROGRAM", "INSTALLED", "BRIDGED", "CAN", "TYPE"])
      for row in rows {
        table.add([
          row.program.name, row.program.title, row.isInstalled ? "yes" : "no",
          row.givesFiles ? "yes, with files" : row.isEnabled ? "yes" : "no",
          row.program.reads ? "read, restore" : "restore", row.program.type,
        ])
      }
      let advice = rows.filter { $0.isInstalled && !$0.missing.isEmpty }.map { "\($0.program.name): \($0.missing)" }
      return (table.lines(fitting: Terminal.width) + advice).joined(separator: "\n")
    }
  }
}
