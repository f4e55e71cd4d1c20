import SegueCore
import SegueEngine

/// Where the configurations are that name containers.
public struct ContainerSettings: Sendable {
  /// The user's home folder, which `~` stands for.
  public var home: String
  /// segue.conf.
  public var declared: String
  /// Where Syncthing looks for its configuration: the first that exists is the one that it uses.
  public var syncthing: [String]
  /// Nextcloud's client's configuration.
  public var nextcloud: String

  /// The settings that an environment gives.
  public init(environment: (String) -> String?) {
    func absolute(_ name: String) -> String? { environment(name).flatMap { FileURL(path: $0) }?.path }
    let home = absolute("HOME") ?? "/"
    let config = absolute("XDG_CONFIG_HOME") ?? home + "/.config"
    let state = absolute("XDG_STATE_HOME") ?? home + "/.local/state"
    self.home = home
    declared = config + "/segue/segue.conf"
    // The order is Syncthing's own: a configuration of former versions, where there is one, before today's.
    syncthing = [config, home + "/.config", state, home + "/.local/state"].map { $0 + "/syncthing/config.xml" }
    nextcloud = config + "/Nextcloud/nextcloud.cfg"
  }

  /// An absolute path, `~` resolved; nil for another.
  func path(_ written: String) -> String? {
    if written.isSame(as: "~") { return FileURL(path: home)?.path }
    return FileURL(path: written.rest(after: "~/").map { home + "/" + $0 } ?? written)?.path
  }
}

/// The containers that one configuration declares.
struct ContainerReading: Equatable {
  var containers: [Container] = []
  /// A sentence for each entry that is not accepted.
  var problems: [String] = []

  /// Adds a container, or the reason why it is invalid.
  mutating func add(id: String, path written: String, _ settings: ContainerSettings) {
    if let path = settings.path(written), let container = Container(id: id, path: path) {
      containers.append(container)
    } else {
      problems.append(
        "\"\(DisplayText.clean(written))\" cannot be the folder of the container \(DisplayText.clean(id)): "
          + "an absolute path below / is needed, and an id of 1 to \(Limits.nameLength) bytes.")
    }
  }
}
