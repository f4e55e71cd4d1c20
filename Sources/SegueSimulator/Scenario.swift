import SegueCore

/// The description of a simulation, read from a small file (docs/simulator.md). A scenario with a seed and without
/// random actions is a schedule: it determines all events (Schedule.swift).
public struct Scenario: Equatable, Sendable {
  /// An action of a user, or an event, that happens to the devices.
  public enum Action: String, CaseIterable, Sendable {
    case choose, divert, pick, stream, bring, cut, heal, current, change, resign, invalidate, expire, delete, crash,
      close, refetch
    case killDaemon = "kill-daemon"
    /// Between two effects of a turn.
    case killMidway = "kill-midway"
    case startDaemon = "start-daemon"
    case sleep, wake, unpair, pair
    case fillDisk = "fill-disk"
    case freeDisk = "free-disk"
    case arrive, lie
    case setClock = "set-clock"

    /// How many words follow the action: devices first, then an application.
    var devices: Int {
      switch self {
      case .cut, .heal, .choose, .divert, .lie, .unpair, .pair: 2
      default: 1
      }
    }
    var namesApplication: Bool {
      switch self {
      case .choose, .divert, .lie, .pick, .stream, .bring, .current, .change, .resign, .invalidate, .expire, .delete,
        .crash, .close:
        true
      default: false
      }
    }
  }

  public struct Step: Equatable, Sendable {
    let time: UInt64
    let action: Action
    let devices: [Int]
    let application: Int
  }

  var devices: [String]
  var applications: [String]
  /// How long the random actions go on, in milliseconds; how long a message takes at most; how long an outage lasts.
  var duration: UInt64 = 30_000
  var latency: UInt64 = 200
  var outage: UInt64 = 12_000
  /// The seed of the random numbers, in a schedule.
  var seed: UInt64?
  /// How many random actions of each kind a schedule has at most.
  var counts: [Action: UInt64] = [:]
  /// One in this many applications does not answer, does not start, or does not take what it gets; 0: none.
  var hangs: UInt64 = 10
  var fails: UInt64 = 20
  var refuses: UInt64 = 6
  /// One in this many activities may be kept, names a file, has a web page, ends by itself, supports streams, or lets
  /// its files be brought; 0: none.
  var keeps: UInt64 = 0
  var files: UInt64 = 0
  var pages: UInt64 = 0
  var ends: UInt64 = 0
  var streams: UInt64 = 0
  var brings: UInt64 = 0
  var steps: [Step] = []

  static let keys = [
    "Devices", "Applications", "Duration", "Latency", "Outage", "Seed", "Hangs", "Fails", "Refuses", "Keeps", "Files",
    "Pages", "Ends", "Streams", "Brings",
  ]

  /// Reads a scenario. The error says what is wrong, and where.
  public init(_ bytes: [UInt8]) throws(SegueError) {
    let file = try KeyFile(bytes)
    let known = [
      "Scenario": Self.keys, "Random": Action.allCases.map { $0.rawValue }, "Steps": file.keys("Steps"),
    ]
    if let unknown = file.unknown(besides: known).first {
      throw SegueError(
        .invalidArgument, "\(unknown) is not known.",
        advice:
          "There are [Scenario], [Steps], and [Random] with \(known["Random", default: []].joined(separator: ", ")).")
    }
    devices = try file.list("Scenario", "Devices") ?? ["desk", "lap"]
    applications = try file.list("Scenario", "Applications") ?? ["Notes"]
    guard (2...8).contains(devices.count), (1...4).contains(applications.count), Set(devices).count == devices.count
    else {
      throw SegueError(
        .invalidArgument, "A scenario has 2 to 8 devices with names of their own, and 1 to 4 applications.")
    }
    func number(_ group: String, _ key: String, _ standard: UInt64, _ maximum: Int64) throws(SegueError) -> UInt64 {
      guard let given = try file.integer(group, key) else { return standard }
      guard (0...maximum).contains(given) else {
        throw SegueError(.invalidArgument, "\(key) is not between 0 and \(maximum).")
      }
      return UInt64(given)
    }
    duration = try number("Scenario", "Duration", duration, 3_600_000)
    latency = try number("Scenario", "Latency", latency, 60_000)
    outage = try number("Scenario", "Outage", outage, 600_000)
    if try file.integer("Scenario", "Seed") != nil { seed = try number("Scenario", "Seed", 0, .max) }
    hangs = try number("Scenario", "Hangs", hangs, 1_000_000)
    fails = try number("Scenario", "Fails", fails, 1_000_000)
    refuses = try number("Scenario", "Refuses", refuses, 1_000_000)
    keeps = try number("Scenario", "Keeps", keeps, 1_000_000)
    files = try number("Scenario", "Files", files, 1_000_000)
    pages = try number("Scenario", "Pages", pages, 1_000_000)
    ends = try number("Scenario", "Ends", ends, 1_000_000)
    streams = try number("Scenario", "Streams", streams, 1_000_000)
    brings = try number("Scenario", "Brings", brings, 1_000_000)
    for action in Action.allCases {
      let count = try number("Random", action.rawValue, 0, 100)
      if count > 0 { counts[action] = count }
    }
    for key in file.keys("Steps") { steps.append(try step(key, try file.string("Steps", key) ?? "")) }
  }

  private func step(_ key: String, _ text: String) throws(SegueError) -> Step {
    let words = text.parts(at: " ").map { String($0) }
    let malformed = SegueError(
      .invalidArgument, "\(key): \"\(text)\" is not a step.",
      advice: "Write the time in milliseconds, what is done, the devices, and where it matters the application.")
    guard words.count >= 2, let time = UInt64(words[0]), let action = Action(rawValue: words[1]),
      words.count == 2 + action.devices || action.namesApplication && words.count == 3 + action.devices
    else { throw malformed }
    var named: [Int] = []
    for word in words[2..<(2 + action.devices)] {
      guard let index = devices.firstIndex(of: word) else { throw malformed }
      named.append(index)
    }
    guard Set(named).count == named.count else { throw malformed }
    var application = 0
    if words.count > 2 + action.devices {
      guard let index = applications.firstIndex(of: words[2 + action.devices]) else { throw malformed }
      application = index
    }
    return Step(time: min(time, 3_600_000), action: action, devices: named, application: application)
  }

  /// The scenario as text that `init` reads.
  public var text: String {
    var lines = ["[Scenario]", "Devices=\(list(devices))", "Applications=\(list(applications))"]
    if let seed { lines.append("Seed=\(seed)") }
    lines += [
      "Duration=\(duration)", "Latency=\(latency)", "Outage=\(outage)", "Hangs=\(hangs)", "Fails=\(fails)",
      "Refuses=\(refuses)", "Keeps=\(keeps)", "Files=\(files)", "Pages=\(pages)", "Ends=\(ends)",
      "Streams=\(streams)", "Brings=\(brings)", "",
    ]
    let random = Action.allCases.filter { counts[$0, default: 0] > 0 }
    if !random.isEmpty { lines += ["[Random]"] + random.map { "\($0.rawValue)=\(counts[$0, default: 0])" } + [""] }
    lines.append("[Steps]")
    for (number, step) in steps.enumerated() { lines.append("Step\(number + 1)=\(text(of: step))") }
    return lines.joined(separator: "\n") + "\n"
  }

  func text(of step: Step) -> String {
    var words = ["\(step.time)", step.action.rawValue] + step.devices.map { devices[$0] }
    if step.action.namesApplication { words.append(applications[step.application]) }
    return words.joined(separator: " ")
  }

  private func list(_ names: [String]) -> String { names.map { $0 + ";" }.joined() }
}
