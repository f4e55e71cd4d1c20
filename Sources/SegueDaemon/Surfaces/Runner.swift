import SegueBus
import SegueCore
import SegueEngine

/// The object that KRunner asks (org.kde.krunner1, in KDE's krunner): for matches of a query, and to continue the one that
/// the user has chosen.
struct Runner {
  static let path = ObjectPath(constant: "/org/segue/Runner")
  private static let interface = InterfaceName(constant: "org.kde.krunner1")

  /// How well a match fits, as Plasma::QueryMatch::Type numbers it.
  private enum Fit {
    static let possible: Int32 = 30
    static let exact: Int32 = 100
  }

  let surfaces: SurfaceService

  func object() -> BusObject {
    BusObject([
      BusInterface(
        Self.interface,
        methods: [
          surfaces.method("Actions", out: [BusArgument("matches", "a(sss)")]) { _, _ in
            [.array(elementSignature: "(sss)", [])]
          },
          surfaces.method("Config", out: [BusArgument("config", "a{sv}")]) { _, _ in [.dictionary([:])] },
          surfaces.method(
            "Match", in: [BusArgument("query", "s")], out: [BusArgument("matches", "a(sssida{sv})")]
          ) { arguments, _ in
            let found = surfaces.search(arguments.compactMap { $0.asString })
            return [.array(elementSignature: "(sssida{sv})", found.enumerated().map { match($1, at: $0) })]
          },
          surfaces.method("Teardown") { _, _ in [] },
          surfaces.method("SetActivationToken", in: [BusArgument("token", "s")]) { arguments, sender in
            surfaces.expect(arguments.first?.asString, from: sender)
            return []
          },
          surfaces.method("Run", in: [BusArgument("matchId", "s"), BusArgument("actionId", "s")]) {
            arguments, sender in
            let token = surfaces.takeToken(from: sender)
            if let id = arguments.first?.asString.flatMap({ OfferID(text: $0) }) {
              surfaces.pick(id, activationToken: token)
            }
            return []
          },
        ])
    ])
  }

  /// Offers come before stored activities, and each match before the next.
  private func match(_ found: Found, at place: Int) -> BusValue {
    let relevance = (found.isOnOffer ? 1 : 0.5) - Double(place) / Double(Limits.searchResults * 4)
    return .structure([
      .string(found.id.text), .string(found.title), .string(found.application.icon ?? SurfaceService.icon),
      .int32(found.isOnOffer ? Fit.exact : Fit.possible), .double(relevance),
      .dictionary(["subtext": .string(found.details.joined(separator: " - "))]),
    ])
  }
}
