import ArgumentParser
import SegueCore

/// A command that reports its failure as all other commands do.
protocol FailingCommand: ParsableCommand {
  func perform() throws(CommandFailure)
}

extension FailingCommand {
  func run() throws {
    do throws(CommandFailure) { try perform() } catch {
      Terminal.note(error.text)
      throw ExitCode(error.kind.rawValue)
    }
  }
}

/// Why a command failed. Mistakes in the command line itself are ArgumentParser's to tell, with status 64.
struct CommandFailure: Error {
  /// The exit status.
  enum Kind: Int32 {
    case failed = 1
    case unreachable = 2
  }

  let kind: Kind
  let error: SegueError

  init(_ kind: Kind, _ error: SegueError) {
    self.kind = kind
    self.error = error
  }

  /// Runs `body`, and makes of its error a failure of this kind.
  static func mapping<T>(_ kind: Kind, _ body: () throws(SegueError) -> T) throws(CommandFailure) -> T {
    do throws(SegueError) { return try body() } catch { throw CommandFailure(kind, error) }
  }

  /// For standard error: the message, and the advice indented under it. Both may quote what another device said.
  var text: String {
    let message = DisplayText.clean(error.message, maximum: Limits.sentenceLength)
    let advice = DisplayText.clean(error.advice, maximum: Limits.sentenceLength)
    return "segue: " + (message.isEmpty ? error.code.name : message) + (advice.isEmpty ? "" : "\n  " + advice)
  }
}
