import SegueBus
import SegueCore

/// The applications that the user has chosen for activity types: GetDefaults, `a{ss}` in the order of the types.
public enum DefaultChoices {
  public static func encode(_ applications: [ActivityType: AppID]) -> BusValue {
    .array(
      elementSignature: "{ss}",
      applications.sorted { $0.key.string < $1.key.string }.map {
        .structure([.string($0.key.string), .string($0.value.string)])
      })
  }

  /// Nil if the value is no list of choices.
  public static func decode(_ value: BusValue?) -> [(type: String, app: String)]? {
    guard case .array("{ss}", let entries)? = value else { return nil }
    return entries.compactMap { entry in
      guard case .structure(let pair) = entry, pair.count == 2, let type = pair[0].asString, let app = pair[1].asString
      else { return nil }
      return (type, app)
    }
  }
}
