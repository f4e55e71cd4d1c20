import ArgumentParser
import SegueBus

struct WatchCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print offers, devices and continuations as they come and go.",
    discussion: """
      What is there at the start is printed as new. It runs until it is interrupted (Control-C), or fails with \
      status 2 when the daemon ends. Every line is written at once, also into a pipe.

      Examples:
        segue watch
        segue watch --json | jq -c 'select(.event == "offer" and .change == "new")'

      With --json each line is an object with "event" ("offer", "activity", "device" or "continuation"). The first \
      three have "change" ("new", "changed" or "gone") and an object under the event's name; the last has \
      "continuation" and "state".
      """)

  @Flag(help: "Print JSON: one object a line.")
  var json = false

  func run(_ daemon: Daemon) throws(CommandFailure) {
    var offersChanged = true
    var devicesChanged = true
    var continuations: [Change] = []
    daemon.onSignal = { signal in
      switch signal {
      case .offers: offersChanged = true
      case .devices: devicesChanged = true
      case .continuation(let id, let state): continuations.append(.continuation(id: id, state: state))
      }
    }
    defer { daemon.onSignal = nil }
    var known = Known()
    while true {
      var changes: [Change] = []
      // Before the calls, during which more may come.
      if offersChanged {
        offersChanged = false
        changes += known.update(.offer, try daemon.list("ListOffers"))
        changes += known.update(.activity, try daemon.list("ListActivities"))
      }
      if devicesChanged {
        devicesChanged = false
        changes += known.update(.device, try daemon.list("ListDevices"))
      }
      changes += continuations
      continuations = []
      for change in changes { try Terminal.print(json ? change.json : change.text) }
      if !offersChanged, !devicesChanged, continuations.isEmpty { try daemon.waitForSignal() }
    }
  }
}
