import SegueControl
import SegueCore

/// What `segue doctor` has found in the system. `Diagnosis` judges it.
struct Surroundings {
  /// A service file of the session bus for the daemon.
  struct Service: Equatable {
    var path = ""
    /// The program that it names.
    var program = ""
    /// Whether that program is there.
    var isThere = true
  }

  /// What hinders the daemon from writing its state.
  enum DiskProblem: Equatable {
    case readOnly
    case full
    case notAllowed
  }

  enum Firewall: String {
    case ufw
    case firewalld
  }

  /// This command's own version, and the prefix that it is installed in.
  var version = Version.string
  var prefix = ""
  /// The daemon of this installation.
  var ownProgram = ""
  /// Whether this installation has a service file, below its prefix.
  var hasOwnService = true
  /// Why the session bus lets nobody in; nil where it does.
  var busProblem: SegueError?
  /// Whether the bus can start the daemon.
  var isStartable = true
  /// The service file that the bus finds first; nil where it finds none.
  var service: Service?
  /// Why the daemon cannot be asked; nil where it can.
  var daemonProblem: SegueError?
  /// The version of the daemon that runs.
  var daemonVersion: String?
  /// Whether the program of the daemon that runs was replaced or removed since.
  var isReplaced = false
  /// Why devices are not found in the network; empty where they are.
  var discoveryProblem = ""
  /// Further facts, in the daemon's own sentences.
  var notes: [String] = []
  /// Whether systemd runs for this user.
  var hasManager = false
  /// The unit that systemd finds first, and whether that is a mask in its place.
  var unit: String?
  var isMasked = false
  /// Whether the unit is started at login.
  var isEnabled = true
  /// The directory of the daemon's state, and what is the matter with its disk.
  var stateFolder = ""
  var diskProblem: DiskProblem?
  /// Why the settings cannot be read.
  var settingsProblem: SegueError?
  /// The firewall that is on, and whether it has a profile of Segue.
  var firewall: Firewall?
  var hasProfile = true
  /// Libraries that programs may find, with their versions, of another version than this command.
  var otherLibraries: [(path: String, version: String)] = []
}
