import ArgumentParser
import Glibc
import SegueCore
import SegueSimulator

struct SimulateCommand: FailingCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run devices that are not there, in virtual time.",
    discussion: """
      Reads a scenario (devices, applications, and what happens to them), and runs it over the engine that the daemon \
      has. It checks that each continuation has one outcome, is restored once at most, and is told to its origin once, \
      and much besides. docs/simulator.md describes scenarios; examples/simulator has some.

      One schedule is printed step by step, many are summed up. The seed that is printed gives the same again. Of a \
      schedule that breaks a rule as much is printed as is needed for that: in a file, --replay plays it.
      """)

  @Argument(help: "The scenario, or the schedule.", completion: .file())
  var file: String

  @Option(help: "The random seed; without it, one is chosen.")
  var seed: UInt64?

  @Option(help: "How many schedules to run, each with the next seed.")
  var schedules: UInt64?

  @Option(name: .customLong("for"), help: "Run schedules for so long: 90s, 10m, 1h.")
  var time: String?

  @Flag(help: "Play a schedule that was printed, step by step.")
  var replay = false

  func validate() throws {
    if let schedules, !(1...10_000_000).contains(schedules) {
      throw ValidationError("1 to 10000000 schedules can be run.")
    }
    if time != nil, schedules != nil || replay { throw ValidationError("--for goes without --schedules and --replay.") }
    if replay, schedules != nil || seed != nil { throw ValidationError("--replay plays one schedule as it stands.") }
    if let time, Self.seconds(time) == nil { throw ValidationError("Write the time as 90s, 10m or 1h.") }
  }

  /// Nil unless it is a number and a unit.
  static func seconds(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), (1...100_000).contains(count)
    else { return nil }
    return count * unit
  }

  func perform() throws(CommandFailure) {
    let bytes = try CommandFailure.mapping(.failed) { () throws(SegueError) in try read() }
    let scenario: Scenario
    do throws(SegueError) {
      scenario = try Scenario(bytes)
      if replay, !scenario.isSchedule {
        throw SegueError(
          .invalidArgument, "This has no Seed: it is a scenario, not a schedule.", advice: "Leave out --replay.")
      }
    } catch {
      throw CommandFailure(.failed, error.about(file))
    }
    let first = scenario.isSchedule ? 0 : seed ?? UInt64.random(in: 0..<(1 << 32))
    if !scenario.isSchedule { try Terminal.print("seed \(first)") }
    let start = ContinuousClock.now
    let end = time.flatMap { Self.seconds($0) }.map { start + .seconds($0) }
    let count = schedules ?? (end == nil ? 1 : .max)
    let isTraced = count == 1
    var (outcomes, files): ([String: Int], [String: Int]) = ([:], [:])
    var (steps, index) = (0, UInt64(0))
    while index < count, end.map({ ContinuousClock.now < $0 }) ?? true {
      let simulation = Simulation(scenario, seed: first &+ index, isTraced: isTraced)
      simulation.run()
      if isTraced { try Terminal.print(simulation.trace.joined(separator: "\n")) }
      steps += simulation.steps
      for (code, count) in simulation.outcomes { outcomes[code?.name ?? "continued", default: 0] += count }
      for (outcome, count) in simulation.fileOutcomes { files[outcome.name, default: 0] += count }
      guard simulation.problems.isEmpty else { throw try failure(simulation, seed: first &+ index) }
      index += 1
    }
    var table = Table()
    table.add(["schedules", "\(index)"])
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    if !isTraced { table.add(["schedules a second", "\(Int(Double(index) / max(seconds, 0.001)))"]) }
    table.add(["events", "\(steps)"])
    for (name, count) in outcomes.sorted(by: { $0.key < $1.key }) { table.add([name, "\(count)"]) }
    for (name, count) in files.sorted(by: { $0.key < $1.key }) { table.add(["file: \(name)", "\(count)"]) }
    try Terminal.print(table.lines.joined(separator: "\n"))
  }

  /// A rule was broken: which, and what of the schedule it takes.
  private func failure(_ simulation: Simulation, seed: UInt64) throws(CommandFailure) -> CommandFailure {
    let what = simulation.problems.joined(separator: "; ")
    if replay { return CommandFailure(.failed, SegueError(.system, what)) }
    try Terminal.print(simulation.schedule.shrunk().text)
    return CommandFailure(
      .failed,
      SegueError(
        .system, "seed \(seed): \(what)",
        advice: "Write the schedule above to a file, and see how it comes to that with: segue simulate --replay FILE"))
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
