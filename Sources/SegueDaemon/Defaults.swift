import SegueBus
import SegueCore
import SegueState

extension Daemon {
  /// SetDefault's arguments; an empty application takes the choice back.
  func setDefault(_ arguments: [BusValue]) throws(SegueError) {
    guard let type = arguments.first?.asString.flatMap({ ActivityType($0) }) else {
      throw SegueError(
        .invalidArgument, "This is no activity type.", advice: "An activity type looks like org.example.editing.")
    }
    var id: AppID?
    if let name = arguments.last?.asString, !name.isEmpty {
      id = try Self.application(name)
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
