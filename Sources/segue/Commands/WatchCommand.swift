import ArgumentParser
import SegueControl

struct WatchCommand: FailingCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print offers, devices and continuations as they come and go.",
    discussion: """
      What is there at the start is printed as new. It runs until it is interrupted (Control-C), or fails with \
      status 2 when the session bus ends. When the daemon ends, it says so and waits for the next one, which it does \
      not start itself; what was there before is over then, and what is there is printed as new. Every line is \
      written at once, also into a pipe.

      Examples:
        segue watch
        segue watch --json | jq -c 'select(.event == "offer" and .change == "new")'

      With --json each line is an object with "event" ("offer", "activity", "device", "continuation" or \
      "daemon"). The first three have "change" ("new", "changed" or "gone") and an object under the event's name; a \
      continuation has "continuation" and "state", and the daemon has "change" ("gone" or "new").
      """)

  @Flag(help: "Print JSON: one object a line.")
  var json = false

  func perform() throws(CommandFailure) {
    var daemon = try DaemonClient.open()
    while true {
      do throws(CommandFailure) {
        try follow(daemon)
      } catch {
        guard !daemon.isOpen else { throw error }
      }
      daemon.close()
      try show(.daemon(.gone))
      daemon = try DaemonClient.next()
      try show(.daemon(.new))
    }
  }

  private func show(_ change: Change) throws(CommandFailure) {
    try Terminal.print(json ? change.json : change.text)
  }

  /// Throws when the daemon has ended, or nobody takes the lines any more.
  private func follow(_ daemon: DaemonClient) throws(CommandFailure) {
    var offersChanged = true
    var devicesChanged = true
    var continuations: [Change] = []
    daemon.onSignal = { signal in
      switch signal {
      case .offers: offersChanged = true
      case .devices: devicesChanged = true
      case .stored, .pairing, .introductions, .links, .transfers: break
      case .continuation(let id, let state): continuations.append(.continuation(id: id, state: state))
      }
    }
    defer { daemon.onSignal = nil }
    var offers = Known<OfferRow>()
    var activities = Known<ActivityRow>()
    var devices = Known<DeviceRow>()
    while true {
      var changes: [Change] = []
      // Before the calls, during which more may come. Both at once: what a lost device had on offer has gone before the
      // device is told to be offline, as the daemon says it.
      let (asksOffers, asksDevices) = (offersChanged, devicesChanged)
      (offersChanged, devicesChanged) = (false, false)
      if asksOffers {
        changes += offers.update(try daemon.ask(.listOffers)).map { .offer($0, $1) }
        changes += activities.update(try daemon.ask(.listActivities)).map { .activity($0, $1) }
      }
      if asksDevices {
        changes += devices.update(try daemon.ask(.listDevices)).map { .device($0, $1) }
      }
      changes += continuations
      continuations = []
      for change in changes { try show(change) }
      if !offersChanged, !devicesChanged, continuations.isEmpty { try daemon.waitForSignal() }
    }
  }
}
