import ArgumentParser
import SegueControl

struct ActivitiesCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "activities",
    abstract: "List what can be continued here.",
    discussion: """
      First come the activities that other devices offer, the newest on top, and those of this device that another \
      application here can continue; then, under a heading, those that this device offers to the others. What was \
      continued here and has not changed since is left out; its id still continues it. The start of an id is enough for `segue continue`. \
      What is about a file that is not on this device says so.

      Examples:
        segue activities
        segue activities --json | jq -r '.offers[].title'

      With --json the keys are those of the D-Bus interface org.segue.Control1, and ids are whole.
      """)

  @Flag(help: "Print JSON: an object with the arrays \"offers\" and \"activities\".")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let offers: [OfferRow] = try daemon.ask(.listOffers)
    let activities: [ActivityRow] = try daemon.ask(.listActivities)
    if json {
      try Terminal.print(
        JSONText.object([("offers", JSONText.array(offers)), ("activities", JSONText.array(activities))]))
    } else {
      try Terminal.print(
        Self.text(offers: offers.map { ShownOffer($0) }, activities: activities.map { ShownOffer($0) }))
    }
  }

  /// The listing for a person.
  static func text(offers: [ShownOffer], activities: [ShownOffer]) -> String {
    var lines: [String] = []
    if offers.isEmpty {
      lines.append("Nothing to continue here.")
    } else {
      var table = Table(["ID", "TITLE", "APPLICATION", "DEVICE", "AGE"])
      for offer in offers { table.add([offer.shortID, offer.title, offer.place, offer.device, Age.text(offer.age)]) }
      lines += table.lines(fitting: Terminal.width)
      let files = offers.filter { !$0.file.isEmpty }.map { "\($0.shortID): \($0.file)" }
      if !files.isEmpty { lines += [""] + files }
    }
    if !activities.isEmpty {
      var table = Table(["ID", "TITLE", "APPLICATION"])
      for activity in activities {
        table.add([
          activity.shortID, activity.title,
          activity.application + (activity.isWithheld ? " (kept to this device)" : ""),
        ])
      }
      lines += ["", "This device offers:"] + table.lines(fitting: Terminal.width)
    }
    return lines.joined(separator: "\n")
  }
}
