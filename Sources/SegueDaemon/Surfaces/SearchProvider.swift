import SegueBus
import SegueCore
import SegueEngine

/// The object that GNOME's overview asks (org.gnome.Shell.SearchProvider2, in GNOME's developer documentation): for
/// results by id, for their looks, and to continue the one that the user has chosen.
struct SearchProvider {
  static let path = ObjectPath(constant: "/org/segue/Search")
  private static let interface = InterfaceName(constant: "org.gnome.Shell.SearchProvider2")

  let surfaces: SurfaceService

  func object() -> BusObject {
    BusObject([
      BusInterface(
        Self.interface,
        methods: [
          surfaces.method(
            "GetInitialResultSet", in: [BusArgument("terms", "as")], out: [BusArgument("results", "as")]
          ) { arguments, _ in [ids(arguments.first)] },
          // The former results do not matter: what is on offer may have changed since.
          surfaces.method(
            "GetSubsearchResultSet", in: [BusArgument("previous_results", "as"), BusArgument("terms", "as")],
            out: [BusArgument("results", "as")]
          ) { arguments, _ in [ids(arguments.last)] },
          surfaces.method(
            "GetResultMetas", in: [BusArgument("identifiers", "as")], out: [BusArgument("metas", "aa{sv}")]
          ) { arguments, _ in
            let ids = (arguments.first?.asStrings ?? []).prefix(Limits.searchResults).compactMap { OfferID(text: $0) }
            let metas = ids.compactMap { surfaces.found($0) }.map { BusValue.dictionary(meta($0)) }
            return [.array(elementSignature: "a{sv}", metas)]
          },
          // The time of the click is 0 in a headless session, so that nothing depends on it.
          surfaces.method(
            "ActivateResult",
            in: [BusArgument("identifier", "s"), BusArgument("terms", "as"), BusArgument("timestamp", "u")]
          ) { arguments, _ in
            if let id = arguments.first?.asString.flatMap({ OfferID(text: $0) }) {
              surfaces.pick(id, activationToken: nil)
            }
            return []
          },
          surfaces.method("LaunchSearch", in: [BusArgument("terms", "as"), BusArgument("timestamp", "u")]) { _, _ in
            surfaces.openWindow()
            return []
          },
        ])
    ])
  }

  private func ids(_ terms: BusValue?) -> BusValue {
    .strings(surfaces.search(terms?.asStrings ?? []).map { $0.id.text })
  }

  private func meta(_ found: Found) -> BusDictionary {
    [
      "id": .string(found.id.text), "name": .string(found.title),
      "description": .string(found.details.joined(separator: " - ")),
      // A themed icon's name or a path, as GIcon's text form has it.
      "gicon": .string(found.application.icon ?? SurfaceService.icon),
    ]
  }
}
