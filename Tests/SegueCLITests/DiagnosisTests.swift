import SegueControl
import SegueCore
import Testing

@testable import segue

/// What `segue doctor` says of what it has found.
@Suite struct DiagnosisTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let severity: Finding.Severity
    let says: String
    let cure: String
    let change: @Sendable (inout Surroundings) -> Void

    init(
      _ description: String, _ severity: Finding.Severity, _ says: String, _ cure: String,
      _ change: @escaping @Sendable (inout Surroundings) -> Void
    ) {
      (testDescription, self.severity, self.says, self.cure) = (description, severity, says, cure)
      self.change = change
    }
  }

  private static var healthy: Surroundings {
    var found = Surroundings()
    (found.version, found.daemonVersion) = ("1.2.3", "1.2.3")
    (found.prefix, found.ownProgram, found.stateFolder) = ("/opt/s", "/opt/s/libexec/segued", "/h/state/segue")
    found.service = .init(path: "/opt/s/share/d.service", program: "/opt/s/libexec/segued", isThere: true)
    (found.hasManager, found.unit) = (true, "/opt/s/share/systemd/user/segued.service")
    return found
  }

  static let cases = [
    Case("no bus", .error, "There is no session bus.", "dbus-run-session") {
      $0.busProblem = SegueError(.connectionUnavailable, "There is no session bus.", advice: "dbus-run-session bash")
    },
    Case("no service file on the path", .error, "finds no service file", "/opt/s/share before the others") {
      $0.service = nil
    },
    Case("no service file at all", .error, "finds no service file", "Install Segue again") {
      ($0.service, $0.hasOwnService) = (nil, false)
    },
    Case("no program", .error, "/opt/s/libexec/segued, which is not there", "former installation") {
      $0.service?.isThere = false
    },
    Case("two installations", .warning, "bus starts /usr/libexec/segued", "one of the two") {
      $0.service?.program = "/usr/libexec/segued"
    },
    Case("a bus that does not start it", .error, "starts nothing for /opt/s", "ReloadConfig") {
      $0.isStartable = false
    },
    Case("a daemon that does not start", .error, "Malformed.", "Mend it.") {
      $0.daemonProblem = SegueError(.system, "Malformed.", advice: "Mend it.")
    },
    Case("another version runs", .warning, "is version 1.2.2, and this command is 1.2.3", "pkill -x segued") {
      $0.daemonVersion = "1.2.2"
    },
    Case("its program was replaced", .warning, "was replaced or removed", "pkill -x segued") { $0.isReplaced = true },
    Case("no unit", .warning, "finds no unit", "systemctl --user link /opt/s/share/systemd/user/") { $0.unit = nil },
    Case("masked by the user", .error, "/h/segued.service masks", "systemctl --user unmask") {
      ($0.unit, $0.isMasked) = ("/h/segued.service", true)
    },
    Case("masked for all", .error, "masks the unit", "sudo systemctl --global unmask") {
      ($0.unit, $0.isMasked) = ("/etc/systemd/user/segued.service", true)
    },
    Case("a disk that is read-only", .error, "/h/state/segue is on a disk that can only be read", "XDG_STATE_HOME") {
      $0.diskProblem = .readOnly
    },
    Case("a full disk", .error, "is full", "Make space.") { $0.diskProblem = .full },
    Case("a folder of another user", .error, "cannot be written", "chown") { $0.diskProblem = .notAllowed },
    Case("settings", .error, "Line 3.", "Mend the line.") {
      $0.settingsProblem = SegueError(.invalidArgument, "Line 3.", advice: "Mend the line.")
    },
    Case("no Avahi", .warning, "Avahi does not run. Install it.", "") {
      $0.discoveryProblem = "Avahi does not run. Install it."
    },
    Case("ufw without a profile", .warning, "ufw has no profile", "sudo cp /opt/s/etc/ufw/applications.d/segue") {
      ($0.firewall, $0.hasProfile) = (.ufw, false)
    },
    Case("firewalld without a profile", .warning, "firewalld has no profile", "/opt/s/etc/firewalld/services") {
      ($0.firewall, $0.hasProfile) = (.firewalld, false)
    },
    Case("an older library", .warning, "/usr/lib/libsegue.so.0.9 of version 0.9", "Remove the one") {
      $0.otherLibraries = [("/usr/lib/libsegue.so.0.9", "0.9")]
    },
  ]

  @Test(arguments: cases) func `each thing that is missing has its sentence and its cure`(one: Case) {
    var found = Self.healthy
    one.change(&found)
    let findings = Diagnosis(found: found).findings
    #expect(findings.count == 1)
    #expect(findings.first?.severity == one.severity)
    #expect(findings.first?.message.contains(one.says) == true)
    #expect(findings.first?.advice.contains(one.cure) == true || one.cure.isEmpty)
  }

  @Test func `where nothing is missing it says so, and facts stand behind that`() {
    #expect(Diagnosis(found: Self.healthy).findings.map { $0.message } == ["Segue 1.2.3 works here."])
    var found = Self.healthy
    (found.firewall, found.isEnabled, found.notes) = (.firewalld, false, ["A port is taken."])
    let findings = Diagnosis(found: found).findings
    #expect(findings.allSatisfy { $0.severity == .note })
    #expect(
      findings.map { $0.message } == [
        "Segue 1.2.3 works here.", "The daemon starts when it is asked for, and not at login.", "A port is taken.",
        "The firewall firewalld is on.",
      ])
  }

  @Test func `a unit is of no matter where no systemd runs for the user`() {
    var found = Self.healthy
    (found.hasManager, found.unit, found.isEnabled) = (false, nil, false)
    #expect(Diagnosis(found: found).findings.count == 1)
  }

  @Test func `a cause is said once`() {
    var found = Self.healthy
    found.busProblem = SegueError(.connectionUnavailable, "There is no session bus.")
    found.daemonProblem = found.busProblem
    found.isStartable = false
    #expect(Diagnosis(found: found).findings.map { $0.message } == ["There is no session bus."])
  }
}
