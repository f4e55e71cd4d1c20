import SegueControl
import SegueCore

/// What is the matter with the surroundings, and the cure for each: the judgement of `segue doctor`.
struct Diagnosis {
  let found: Surroundings

  var findings: [Finding] {
    let all = disk + bus + service + unit + daemon + network + libraries
    guard all.contains(where: { $0.severity != .note }) else {
      return [Finding(severity: .note, message: "Segue \(found.version) works here.")] + all
    }
    return all
  }

  private var disk: [Finding] {
    var findings: [Finding] = []
    if let problem = found.settingsProblem { findings.append(.error(problem.message, problem.advice)) }
    let folder = found.stateFolder
    switch found.diskProblem {
    case .readOnly:
      findings.append(
        .error(
          "\(folder) is on a disk that can only be read, so the daemon cannot keep its key.",
          "Mount the disk for writing, or set XDG_STATE_HOME to a folder that can be written."))
    case .full:
      findings.append(
        .error(
          "The disk of \(folder) is full, so nothing can be saved.",
          "Make space. What was saved before is not lost, and the daemon goes on by itself."))
    case .notAllowed:
      findings.append(
        .error(
          "\(folder) cannot be written by this user.", "Give it to the user: chown -R \"$USER\" \(folder)"))
    case nil: break
    }
    return findings
  }

  private var bus: [Finding] {
    found.busProblem.map { [.error($0.message, $0.advice)] } ?? []
  }

  private var service: [Finding] {
    guard let service = found.service else {
      return [
        .error(
          "The session bus finds no service file of Segue, org.segue.Daemon1.service.",
          found.hasOwnService
            ? "Put \(found.prefix)/share before the others into XDG_DATA_DIRS of the session, and log in again."
            : "Install Segue again: its files below \(found.prefix)/share are not there.")
      ]
    }
    guard service.isThere else {
      return [
        .error(
          "\(service.path) names \(service.program), which is not there.",
          "Install Segue again. If that file is of a former installation, remove it.")
      ]
    }
    var findings: [Finding] = []
    if !service.program.isSame(as: found.ownProgram) {
      findings.append(
        .warning(
          "This command is of \(found.prefix), and the session bus starts \(service.program).",
          "Remove one of the two installations."))
    }
    if found.busProblem == nil, !found.isStartable {
      findings.append(
        .error(
          "The session bus starts nothing for \(service.path).",
          "Log in again, or have it read its files: busctl --user call org.freedesktop.DBus /org/freedesktop/DBus "
            + "org.freedesktop.DBus ReloadConfig. A bus that starts no programs at all needs \(service.program) among "
            + "the programs of the session."))
    }
    return findings
  }

  private var unit: [Finding] {
    guard found.hasManager else { return [] }
    guard let unit = found.unit else {
      return [
        .warning(
          "systemd finds no unit segued.service of this user, so the daemon runs without its bounds.",
          "Run: systemctl --user daemon-reload. If that does not help: systemctl --user link "
            + "\(found.prefix)/share/systemd/user/segued.service")
      ]
    }
    if found.isMasked {
      let isGlobal = unit.begins(with: "/etc/")
      return [
        .error(
          "\(unit) masks the unit segued.service, so systemd does not start the daemon.",
          "If Segue shall work: \(isGlobal ? "sudo systemctl --global" : "systemctl --user") unmask segued.service")
      ]
    }
    guard !found.isEnabled else { return [] }
    return [
      Finding(
        severity: .note, message: "The daemon starts when it is asked for, and not at login.",
        advice: "To have it answer other devices from then on: systemctl --user enable segued.service")
    ]
  }

  private var daemon: [Finding] {
    // Why the bus lets nobody in was said.
    guard found.busProblem == nil else { return [] }
    if let problem = found.daemonProblem { return [.error(problem.message, problem.advice)] }
    let cure = "End it, and the next command starts the installed one: pkill -x segued"
    if let version = found.daemonVersion, !version.isSame(as: found.version) {
      return [.warning("The running daemon is version \(version), and this command is \(found.version).", cure)]
    }
    return found.isReplaced
      ? [.warning("The running daemon's program was replaced or removed since it was started.", cure)] : []
  }

  private var network: [Finding] {
    var findings: [Finding] = []
    if !found.discoveryProblem.isEmpty { findings.append(.warning(found.discoveryProblem, "")) }
    findings += found.notes.map { Finding(severity: .note, message: $0) }
    switch found.firewall {
    case .ufw where !found.hasProfile:
      findings.append(
        .warning(
          "The firewall ufw has no profile of Segue.",
          "Run: sudo cp \(found.prefix)/etc/ufw/applications.d/segue /etc/ufw/applications.d/, then: sudo ufw allow segue"
        ))
    case .ufw:
      findings.append(
        Finding(
          severity: .note, message: "The firewall ufw is on.",
          advice: "If other devices do not reach this one: sudo ufw allow segue"))
    case .firewalld where !found.hasProfile:
      findings.append(
        .warning(
          "The firewall firewalld has no profile of Segue.",
          "Run: sudo cp \(found.prefix)/etc/firewalld/services/segue.xml /etc/firewalld/services/, then: sudo "
            + "firewall-cmd --reload; sudo firewall-cmd --add-service=segue --permanent"))
    case .firewalld:
      findings.append(
        Finding(
          severity: .note, message: "The firewall firewalld is on.",
          advice: "If other devices do not reach this one: sudo firewall-cmd --add-service=segue --permanent, then: "
            + "sudo firewall-cmd --reload"))
    case nil: break
    }
    return findings
  }

  private var libraries: [Finding] {
    found.otherLibraries.map { library in
      .warning(
        "Programs may find \(library.path) of version \(library.version), and this command is \(found.version).",
        "Remove the one of the two that is not wanted. Programs that run keep the library that they have, until they are "
          + "started again.")
    }
  }
}

extension Finding {
  fileprivate static func error(_ message: String, _ advice: String) -> Finding {
    Finding(severity: .error, message: message, advice: advice)
  }

  fileprivate static func warning(_ message: String, _ advice: String) -> Finding {
    Finding(severity: .warning, message: message, advice: advice)
  }
}
