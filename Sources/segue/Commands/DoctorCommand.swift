import ArgumentParser
import SegueControl
import SegueCore

struct DoctorCommand: FailingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what Segue is missing on this device, and how to fix it.",
    discussion: """
      It looks whether the session bus finds the daemon's service file and can start it, at the unit of systemd, the \
      disk of your home, Avahi, the firewall, and for other versions that run or are installed. The exit status is 1 if \
      something does not work so.
      """)

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func perform() throws(CommandFailure) {
    let found = try CommandFailure.mapping(.failed) { () throws(SegueError) in try Surroundings.look() }
    try Findings.show(Diagnosis(found: found).findings, asJSON: json)
  }
}
