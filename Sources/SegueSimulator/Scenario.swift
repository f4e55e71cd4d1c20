import SegueCore

/// What a simulation is about, from a small file (docs/simulator.md).
public struct Scenario: Sendable {
  /// Something that somebody or something does to the devices.
  enum Action: String, CaseIterable, Sendable {
    case choose, divert, cut, heal, current, change, resign, crash, close, refetch
    case killDaemon = "kill-daemon"
    case startDaemon = "start-daemon"
    case sleep, wake

    /// How many words follow: devices first, then an application.
    var devices: Int {
      switch self {
      case .cut, .heal, .choose, .divert: 2
      case .current, .change, .resign, .crash, .close, .killDaemon, .startDaemon, .refetch, .sleep, .wake: 1
      }
    }
    var namesApplication: Bool {
      switch self {
      case .choose, .divert, .current, .change, .resign, .crash, .close: true
      case .cut, .heal, .killDaemon, .startDaemon, .refetch, .sleep, .wake: false
      }
    }
  }

  struct Step: Sendable {
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
  /// How many random actions of a kind a schedule has at most.
  var counts: [Action: UInt64] = [:]
  /// Of so many applications, one does not answer, does not start, or does not take what it gets; 0: none.
  var hangs: UInt64 = 10
  var fails: UInt64 = 20
  var refuses: UInt64 = 6
  var steps: [Step] = []

  /// Reads a scenario. The error says what is wrong, and where.
  public init(_ bytes: [UInt8]) throws(SegueError) {
    let file = try KeyFile(bytes)
    let known = [
      "Scenario": ["Devices", "Applications", "Duration", "Latency", "Outage", "Hangs", "Fails", "Refuses"],
      "Random": Action.allCases.map { $0.rawValue }, "Steps": file.keys("Steps"),
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
    hangs = try number("Scenario", "Hangs", hangs, 1_000_000)
    fails = try number("Scenario", "Fails", fails, 1_000_000)
    refuses = try number("Scenario", "Refuses", refuses, 1_000_000)
    for action in Action.allCases {
      counts[action] = try number("Random", action.rawValue, 0, 100)
    }
    for key in file.keys("Steps") { steps.append(try step(key, try file.string("Steps", key) ?? "")) }
  }

  private func step(_ key: String, _ text: String) throws(SegueError) -> Step {
    let words = text.split(separator: " ").map { String($0) }
    let malformed = SegueError(
      .invalidArgument, "\(key): \"\(text)\" is no step.",
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
}
