import ArgumentParser
import Glibc
import SegueCore
import SegueSimulator

struct SimulateCommand: FailingCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run devices that are not there, in virtual time.",
    discussion: """
      Reads a scenario (devices, applications, and what happens to them), and runs it over the state machines that the \
      daemon and the library have. It checks that each continuation has one outcome, is restored once at most, and is \
      told to its origin once. docs/simulator.md describes scenarios; examples/simulator has some.

      One schedule is printed step by step, many are summed up. The seed that is printed gives the same again.
      """)

  @Argument(help: "The scenario.", completion: .file())
  var file: String

  @Option(help: "Where chance begins; without it, anywhere.")
  var seed: UInt64?

  @Option(help: "How many schedules to run, each with the next seed.")
  var schedules: UInt64 = 1

  func validate() throws {
    guard (1...10_000_000).contains(schedules) else { throw ValidationError("1 to 10000000 schedules can be run.") }
  }

  func perform() throws(CommandFailure) {
    let bytes = try CommandFailure.mapping(.failed) { () throws(SegueError) in try read() }
    let scenario: Scenario
    do throws(SegueError) {
      scenario = try Scenario(bytes)
    } catch {
      throw CommandFailure(.failed, error.about(file))
    }
    let first = seed ?? UInt64.random(in: 0..<(1 << 32))
    try Terminal.print("seed \(first)")
    var outcomes: [String: Int] = [:]
    var steps = 0
    for index in 0..<schedules {
      let simulation = Simulation(scenario, seed: first &+ index, isTraced: schedules == 1)
      simulation.run()
      if schedules == 1 { try Terminal.print(simulation.trace.joined(separator: "\n")) }
      steps += simulation.steps
      for (code, count) in simulation.outcomes { outcomes[code?.name ?? "continued", default: 0] += count }
      guard simulation.problems.isEmpty else {
        throw CommandFailure(
          .failed,
          SegueError(
            .system, "seed \(first &+ index): \(simulation.problems.joined(separator: "; "))",
            advice: "See how it came to that with: segue simulate --seed \(first &+ index) \(file)"))
      }
    }
    var table = Table()
    table.add(["schedules", "\(schedules)"])
    table.add(["events", "\(steps)"])
    for (name, count) in outcomes.sorted(by: { $0.key < $1.key }) { table.add([name, "\(count)"]) }
    try Terminal.print(table.lines.joined(separator: "\n"))
  }

  private func read() throws(SegueError) -> [UInt8] {
    guard let stream = fopen(file, "re") else {
      throw SegueError(
        .notFound, "\(file) cannot be read.", advice: "Name a scenario, for instance one of examples/simulator.")
    }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: Limits.fileLength + 1)
    let count = fread(&bytes, 1, bytes.count, stream)
    return Array(bytes[..<count])
  }
}
