import Glibc
import SegueBus
import SegueCore

/// The user's choice for types that several applications continue (semantics V10), in defaults.conf.
struct Defaults: Equatable {
  private(set) var applications: [ActivityType: AppID] = [:]
  private let path: String

  private static let group = "Default Applications"

  /// Throws for a file that cannot be understood.
  init(readingFrom folder: String) throws(SegueError) {
    path = folder + "/defaults.conf"
    guard let bytes = try File.read(path) else { return }
    do throws(SegueError) {
      let file = try KeyFile(bytes)
      for key in file.keys(Self.group) {
        guard let type = ActivityType(key), let id = try file.string(Self.group, key).flatMap({ AppID($0) }) else {
          throw SegueError(.invalidArgument, "\(DisplayText.clean(key)) is no activity type with an application id")
        }
        applications[type] = id
      }
    } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message).", advice: "Mend the file, or remove it.")
    }
  }

  /// Sets or removes the choice for a type. Throws `system`; nothing has changed then.
  mutating func set(_ type: ActivityType, to id: AppID?) throws(SegueError) {
    var changed = applications
    changed[type] = id
    var file = KeyFile()
    for (type, id) in changed.sorted(by: { $0.key.string < $1.key.string }) {
      try file.set(Self.group, type.string, to: id.string)
    }
    try File.makeParents(of: path)
    try File.replace(path, Array(file.text.utf8))
    applications = changed
  }

  /// For the bus: a{ss}.
  var value: BusValue {
    .array(
      elementSignature: "{ss}",
      applications.sorted { $0.key.string < $1.key.string }.map {
        .structure([.string($0.key.string), .string($0.value.string)])
      })
  }
}

extension Daemon {
  /// SetDefault's arguments; an empty application takes the choice back.
  func setDefault(_ arguments: [BusValue]) throws(SegueError) {
    guard let type = arguments.first?.asString.flatMap({ ActivityType($0) }) else {
      throw SegueError(
        .invalidArgument, "This is no activity type.", advice: "An activity type looks like org.example.editing.")
    }
    var id: AppID?
    if let name = arguments.last?.asString, !name.isEmpty {
      id = try Self.application(.string(name))
      let names = registry.applications(claiming: type).map { $0.appID.string }
      guard let id, names.contains(id.string) else {
        throw SegueError(
          .noApplication, "\(name) does not declare \(type.string) here.",
          advice: names.isEmpty ? "No installed application does." : "These do: \(names.joined(separator: ", ")).")
      }
    }
    try defaults.set(type, to: id)
    rules.defaults = defaults.applications
    offersChanged()
  }
}
