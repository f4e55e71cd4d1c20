import SegueBus
import SegueCore
import SegueState

extension Defaults {
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
