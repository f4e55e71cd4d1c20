import Foundation
import SegueCore
import SegueSimulator
import Testing

/// Files that one virtual device brings from another: each way in which a request can end occurs, and none breaks a
/// rule.
@Suite struct SimulatedFilesTests {
  /// The lap continues the desk's activity, and brings its files. No application hangs, fails to start, or refuses.
  private static let head = """
    [Scenario]
    Latency=500
    Outage=0
    Hangs=0
    Fails=0
    Refuses=0
    Brings=1
    [Steps]
    A=0 current desk Notes
    B=0 current lap Notes
    C=5000 choose lap desk Notes
    D=9000 bring lap Notes

    """

  /// How the requests of some schedules ended, which differ only in their random numbers.
  private func outcomes(_ steps: String, _ seeds: Range<UInt64> = 0..<40) throws -> [FileOutcome: Int] {
    var outcomes: [FileOutcome: Int] = [:]
    for seed in seeds {
      let simulation = Simulation(try Scenario(Array((Self.head + steps).utf8)), seed: seed)
      simulation.run()
      #expect(simulation.problems == [], "seed \(seed)")
      outcomes.merge(simulation.fileOutcomes) { $0 + $1 }
    }
    return outcomes
  }

  @Test func X2_filesAreBroughtWhole() throws {
    let outcomes = try outcomes("")
    #expect(outcomes[.brought, default: 0] > 50, "\(outcomes)")
    // Files that userInfo does not name are not found, and some requests are cancelled.
    #expect(outcomes[.failed(.notFound), default: 0] > 5 && outcomes[.cancelled, default: 0] > 5, "\(outcomes)")
    for outcome in [.renewed, .removed, .orphaned, .failed(.limitExceeded)] as [FileOutcome] {
      #expect(outcomes[outcome] == nil, "\(outcomes)")
    }
  }

  @Test func X2_theRestComesOverTheNextLink() throws {
    let outcomes = try outcomes("E=11500 cut desk lap\nF=13000 heal desk lap\n")
    #expect(outcomes[.resumed, default: 0] > 20 && outcomes[.brought, default: 0] > 20, "\(outcomes)")
    #expect(outcomes[.renewed] == nil && outcomes[.failed(.connectionUnavailable)] == nil, "\(outcomes)")
  }

  @Test func X2_whatHasChangedMeanwhileComesAnew() throws {
    let outcomes = try outcomes("E=11500 cut desk lap\nF=11600 change desk Notes\nG=13000 heal desk lap\n")
    #expect(outcomes[.renewed, default: 0] > 20, "\(outcomes)")
  }

  @Test func X2_aLinkThatStaysAwayIsNotWaitedForWithoutEnd() throws {
    let outcomes = try outcomes("E=11500 cut desk lap\nF=600000 current lap Notes\n")
    #expect(outcomes[.failed(.connectionUnavailable), default: 0] > 50, "\(outcomes)")
  }

  /// The killed process is the application that brings the files, its daemon, the other daemon, or the other
  /// application, whose opened files still arrive.
  @Test func X2_aProcessThatIsKilledEndsFiles() throws {
    #expect(try outcomes("E=11500 crash lap Notes\n")[.exited, default: 0] > 50)
    #expect(try outcomes("E=11500 kill-daemon lap\nF=12000 start-daemon lap\n")[.orphaned, default: 0] > 50)
    let daemon = try outcomes("E=11500 kill-daemon desk\nF=12000 start-daemon desk\n")
    #expect(daemon[.resumed, default: 0] > 20 && daemon[.orphaned] == nil, "\(daemon)")
    // The request waits until the other application is back at its daemon.
    #expect(daemon[.failed(.remoteApplicationTimedOut)] == nil, "\(daemon)")
    let application = try outcomes("E=11500 crash desk Notes\n")
    #expect(
      application[.brought, default: 0] > 20 && application[.failed(.notFound), default: 0] > 20, "\(application)")
  }

  /// The pairing is removed here, or on the other device, in which case this one learns of it by a message or only by
  /// the link.
  @Test func X2_aDeviceThatIsRemovedEndsFiles() throws {
    let here = try outcomes("E=11500 unpair lap desk\n")
    #expect(here[.removed, default: 0] > 20, "\(here)")
    let there = try outcomes("E=11500 unpair desk lap\n")
    #expect(there[.failed(.accessDenied), default: 0] > 10, "\(there)")
    #expect(there[.failed(.connectionUnavailable), default: 0] > 10 && there[.removed] == nil, "\(there)")
  }

  /// The schedules reach every case: each outcome of a file occurs.
  @Test func X2_noEndOfAFileIsUnheardOf() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let scenario = try Scenario(
      Array(try Data(contentsOf: folder.appendingPathComponent("../../examples/simulator/files.scenario"))))
    var outcomes: [FileOutcome: Int] = [:]
    for seed: UInt64 in 0..<2_000 {
      let simulation = Simulation(scenario, seed: seed)
      simulation.run()
      #expect(simulation.problems == [], "seed \(seed)")
      outcomes.merge(simulation.fileOutcomes) { $0 + $1 }
    }
    let expected: [FileOutcome] = [
      .here, .brought, .resumed, .renewed, .cancelled, .exited, .removed, .orphaned, .failed(.notFound),
      .failed(.accessDenied), .failed(.connectionUnavailable), .failed(.remoteApplicationTimedOut),
      .failed(.limitExceeded), .failed(.handoffFailed),
    ]
    for outcome in expected { #expect(outcomes[outcome, default: 0] > 1, "\(outcome.name): \(outcomes)") }
  }
}
