import Foundation
import SegueCore
import SegueSimulator
import Testing

/// Many devices in virtual time, which run the state machines of real ones.
@Suite struct SimulationTests {
  private static let schedules: UInt64 = 100_000

  private func scenario(_ text: String) throws -> Scenario { try Scenario(Array(text.utf8)) }

  private func example(_ name: String) throws -> Scenario {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let file = folder.appendingPathComponent("../../examples/simulator/\(name).scenario")
    return try Scenario(Array(try Data(contentsOf: file)))
  }

  /// The outcome of some schedules.
  private struct Outcome {
    var counts: [SegueError.Code?: Int] = [:]
    /// The first schedule that broke a rule, cut down to the steps that it needs.
    var failure: String?
  }

  /// Most schedules are brief, some have all kinds of steps.
  private func run(_ seeds: some Sequence<UInt64> & Sendable, _ scenarios: [Scenario]) -> Outcome {
    var outcome = Outcome()
    for seed in seeds {
      let simulation = Simulation(scenarios[min(Int(seed % 20), scenarios.count - 1)], seed: seed)
      simulation.run()
      outcome.counts.merge(simulation.outcomes) { $0 + $1 }
      guard simulation.problems.isEmpty else {
        outcome.failure =
          "SEGUE_SEED=\(seed) replays it: \(simulation.problems)\n\(simulation.schedule.shrunk().text)"
        break
      }
    }
    return outcome
  }

  /// `SEGUE_SEED` replays one seed; otherwise each run begins with another seed, so that the runs add up.
  @Test func V1_V3_V7_V11_V14_V15_V18_X7_X9_C7_R8_S9_holdInEverySchedule() async throws {
    let environment = ProcessInfo.processInfo.environment
    let replayed = environment["SEGUE_SEED"].flatMap { UInt64($0) }
    let first = replayed ?? UInt64.random(in: 0..<(1 << 32))
    let wanted = environment["SEGUE_SCHEDULES"].flatMap { UInt64($0) }
    let count = wanted ?? (replayed == nil ? Self.schedules : 1)
    print("simulation: \(count) schedules from seed \(first)")
    let scenarios = try ["everyday", "outages", "crossing", "files", "brief"].map { try example($0) }
    var all = Outcome()
    // Each processor runs one part; the parts share no state.
    let parts = UInt64(ProcessInfo.processInfo.activeProcessorCount)
    await withTaskGroup(of: Outcome.self) { group in
      for part in 0..<parts {
        group.addTask { run(stride(from: first + part, to: first + count, by: Int(parts)), scenarios) }
      }
      for await outcome in group {
        all.counts.merge(outcome.counts) { $0 + $1 }
        all.failure = all.failure ?? outcome.failure
      }
    }
    if let failure = all.failure { Issue.record("\(failure)") }
    guard count >= Self.schedules else { return }
    // The schedules reach every case: each outcome occurs.
    let expected: [SegueError.Code?] = [
      nil, .handoffFailed, .connectionUnavailable, .remoteApplicationTimedOut, .userCancelled, .launchFailed,
      .launchTimedOut, .applicationExited, .notHandled,
    ]
    for code in expected { #expect(all.counts[code, default: 0] > 50, "\(code?.name ?? "success"): \(all.counts)") }
  }

  @Test func X2_aSeedIsTheSameScheduleAgain() throws {
    let scenario = try example("outages")
    let traces = (0..<2).map { _ in
      let simulation = Simulation(scenario, seed: 11, isTraced: true)
      simulation.run()
      return simulation.trace
    }
    #expect(traces[0] == traces[1] && traces[0].count > 50)
    let other = Simulation(scenario, seed: 12, isTraced: true)
    other.run()
    #expect(other.trace != traces[0])
  }

  /// A run of an hour has millions of schedules, so each must be freed when it is over.
  @Test func X2_nothingOfAScheduleIsLeftBehind() throws {
    for name in ["everyday", "outages", "crossing", "files"] {
      for seed: UInt64 in 0..<20 {
        weak var left: Simulation?
        try {
          let simulation = Simulation(try example(name), seed: seed)
          simulation.run()
          left = simulation
        }()
        #expect(left == nil, "\(name), seed \(seed)")
      }
    }
  }

  /// A schedule that is printed and read again is the same schedule.
  @Test func X2_aScheduleIsWrittenAndRead() throws {
    for name in ["outages", "everyday", "files"] {
      let schedule = try example(name).schedule(seed: 5)
      #expect(try scenario(schedule.text) == schedule)
      let traces = try [schedule, scenario(schedule.text)].map { schedule in
        let simulation = Simulation(schedule, isTraced: true)
        simulation.run()
        return simulation.trace
      }
      #expect(traces[0] == traces[1])
    }
  }

  @Test func X2_theExamplesDoWhatTheySay() throws {
    let restart = Simulation(try example("restart"), seed: 1, isTraced: true)
    restart.run()
    #expect(restart.problems == [] && restart.outcomes == [nil: 1], "\(restart.trace.joined(separator: "\n"))")
  }

  /// Runs a schedule that once broke a rule, cut down to the steps that it needed.
  private func holds(_ text: String, seed: UInt64) throws {
    let simulation = Simulation(try scenario(text).schedule(seed: seed), isTraced: true)
    simulation.run()
    #expect(simulation.problems == [], "\(simulation.trace.joined(separator: "\n"))")
  }

  /// A daemon that was killed waits for no file: the next one fetches again, and waits for the files of that answer.
  @Test func R8_aDaemonThatWasKilledWaitsForNoFile() throws {
    try holds(
      """
      [Scenario]
      Devices=desk;lap;
      Applications=Notes;
      Seed=3090
      Duration=8000
      Latency=200
      Outage=4000
      Hangs=0
      Fails=0
      Refuses=0
      Keeps=0
      Files=1
      Pages=0
      Ends=0
      Streams=0
      [Steps]
      Step1=0 current lap Notes
      Step2=0 current desk Notes
      Step3=0 current desk Notes
      Step4=1706 change desk Notes
      Step5=2000 choose desk lap Notes
      Step6=6875 kill-daemon lap
      Step7=7140 change lap Notes
      Step8=7772 start-daemon lap
      Step9=7866 kill-daemon desk
      """, seed: 3090)
  }

  /// The killed daemon still had one pair of a stream within the device: the other pair's stream ends.
  @Test func T4_whatAKilledDaemonHeldIsClosed() throws {
    try holds(
      """
      [Scenario]
      Devices=desk;lap;phone;
      Applications=Notes;Reader;
      Seed=2478678059
      Duration=90000
      Latency=200
      Outage=20000
      Hangs=10
      Fails=20
      Refuses=6
      Keeps=2
      Files=4
      Pages=3
      Ends=6
      Streams=2
      [Steps]
      Step1=0 current desk Notes
      Step2=0 current desk Reader
      Step3=0 current lap Notes
      Step4=0 current lap Reader
      Step5=11656 heal lap phone
      Step6=13108 divert lap desk Reader
      Step7=29048 invalidate desk Reader
      Step8=56685 pick lap Reader
      Step9=83627 kill-midway lap
      """, seed: 2_478_678_059)
  }

  /// A full disk kept a copy from being removed, and the next daemon does not know that it should have been.
  @Test func X7_whatAFullDiskDidNotLetGoExpires() throws {
    try holds(
      """
      [Scenario]
      Devices=desk;lap;phone;
      Applications=Notes;Reader;
      Seed=2086651780
      Duration=90000
      Latency=200
      Outage=20000
      Hangs=10
      Fails=20
      Refuses=6
      Keeps=2
      Files=4
      Pages=3
      Ends=6
      Streams=2
      Brings=2
      [Steps]
      Step1=0 current desk Notes
      Step2=0 current desk Reader
      Step3=0 current lap Notes
      Step4=5116 current desk Reader
      Step5=11885 expire lap Notes
      Step6=11913 pick lap Notes
      Step7=20948 fill-disk lap
      Step8=63363 invalidate lap Notes
      Step9=63637 kill-daemon lap
      Step10=64760 set-clock lap
      """, seed: 2_086_651_780)
  }

  /// A choice that has waited while the machine slept is made when the first of the ends that follow a lost link is
  /// reported.
  @Test func X9_aChoiceIsMadeWhileTheEndOfALinkIsTold() throws {
    try holds(
      """
      [Scenario]
      Devices=desk;lap;phone;
      Applications=Notes;Reader;
      Seed=679927055
      Duration=30000
      Latency=200
      Outage=12000
      Hangs=10
      Fails=20
      Refuses=6
      Keeps=0
      Files=0
      Pages=0
      Ends=0
      Streams=2
      Brings=0
      [Steps]
      Step1=0 current desk Notes
      Step2=0 current desk Reader
      Step3=778 kill-daemon phone
      Step4=1516 choose lap desk Notes
      Step5=1984 stream lap Reader
      Step6=2217 sleep lap
      """, seed: 679_927_055)
  }

  /// Applications cannot be launched for longer than a choice waits for the continuation of the killed daemon.
  @Test func V3_aChoiceTakesThePlaceOfWhatWasNotTakenUp() throws {
    try holds(
      """
      [Scenario]
      Devices=desk;lap;phone;
      Applications=Notes;Reader;
      Seed=769713220
      Duration=90000
      Latency=200
      Outage=20000
      Hangs=10
      Fails=20
      Refuses=6
      Keeps=2
      Files=4
      Pages=3
      Ends=6
      Streams=2
      Brings=2
      [Steps]
      Step1=0 current desk Notes
      Step2=0 current lap Notes
      Step3=0 current phone Reader
      Step4=49015 kill-daemon lap
      Step5=63872 start-daemon lap
      Step6=79442 choose lap phone Reader
      """, seed: 769_713_220)
  }

  /// The boot clock goes on while a machine sleeps: a fetch on a machine that sleeps for longer than a fetch may take
  /// has failed when it wakes, and one on a machine that sleeps for a moment goes on.
  @Test func C7_aWaitEndsWhileTheMachineSleeps() throws {
    for (sleep, outcome) in [(5_000, nil), (40_000, .connectionUnavailable)] as [(UInt64, SegueError.Code?)] {
      let simulation = Simulation(
        try scenario(
          """
          [Scenario]
          Latency=1
          Outage=0
          Hangs=0
          Fails=0
          Refuses=0
          [Steps]
          A=100 current desk
          B=5000 current lap
          C=10000 cut desk lap
          D=10100 choose lap desk
          E=11000 sleep lap
          F=11100 heal desk lap
          G=\(11_000 + sleep) wake lap
          """), seed: 6, isTraced: true)
      simulation.run()
      #expect(simulation.problems == [], "\(simulation.trace.joined(separator: "\n"))")
      #expect(simulation.outcomes == [outcome: 1], "\(simulation.trace.joined(separator: "\n"))")
    }
  }

  @Test func X2_aMalformedScenarioIsSaid() {
    let cases = [
      ("[Scenario]\nDevices=desk;\n", "2 to 8"), ("[Scenario]\nDevices=a;a;\n", "2 to 8"),
      ("[Scenario]\nLatency=soon\n", "Latency"), ("[Scenario]\nLatency=-1\n", "Latency"),
      ("[Random]\nexplode=1\n", "explode"), ("[Steps]\nA=1 cut desk\n", "A"), ("[Steps]\nA=1 cut desk desk\n", "A"),
      ("[Steps]\nA=now cut desk lap\n", "A"), ("[Steps]\nA=1 crash desk Chess\n", "A"),
    ]
    for (text, word) in cases {
      do {
        _ = try scenario(text)
        Issue.record("\(text) was taken")
      } catch {
        #expect("\(error)".contains(word), "\(text): \(error)")
      }
    }
  }
}
