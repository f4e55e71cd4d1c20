import ArgumentParser
import SegueCore

/// The words at the beginning of a command line, of which one may be no command: ArgumentParser would call it an
/// unexpected argument, or after `help` show another page and say that all is well.
enum CommandWords {
  /// A sentence on the word that is none; nil where all are commands.
  static func problem(in arguments: [String]) -> String? {
    var commands = Segue.configuration.subcommands
    let isHelp = arguments.first == "help"
    for word in isHelp ? Array(arguments.dropFirst()) : arguments {
      if word.begins(with: "-") {
        guard isHelp else { return nil }
        continue
      }
      guard let command = commands.first(where: { $0._commandName == word }) else {
        // Words behind the last command are its own.
        return commands.isEmpty && !isHelp ? nil : sentence(word, among: commands, isHelp: isHelp)
      }
      commands = command.configuration.subcommands
    }
    return nil
  }

  private static func sentence(_ word: String, among commands: [ParsableCommand.Type], isHelp: Bool) -> String {
    let near = nearest(to: word, among: commands.map { $0._commandName } + (isHelp ? [] : ["help"]))
    let guess = near.isEmpty ? "`segue --help` lists them." : "Did you mean \(near.joined(separator: ", or "))?"
    return "There is no command \(DisplayText.clean(word))\(isHelp ? " to help with" : ""). \(guess)"
  }

  /// The names that somebody may have meant: those that begin so, else those that are the fewest mistakes away.
  static func nearest(to word: String, among names: [String]) -> [String] {
    let word = word.lowercased()
    guard word.utf8.count <= Limits.shownName else { return [] }
    let longer = names.filter { word.utf8.count >= 3 && $0.utf8.starts(with: word.utf8) }
    guard longer.isEmpty else { return longer }
    let distances = names.map { (name: $0, mistakes: mistakes(Array(word.utf8), Array($0.utf8))) }
    // Two wrong letters leave nothing of a short word.
    guard let least = distances.map({ $0.mistakes }).min(), least <= (word.utf8.count < 5 ? 1 : 2) else { return [] }
    return distances.filter { $0.mistakes == least }.map { $0.name }
  }

  /// How many letters were added, left out, replaced, or exchanged with their neighbours.
  private static func mistakes(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var rows = [Array(0...other.count)]
    for i in 0..<one.count {
      var row = [i + 1]
      for j in 0..<other.count {
        var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] { least = min(least, rows[i - 1][j - 1] + 1) }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
