import SegueBus
import SegueCore
import SegueState

// Who may continue what on this device: the rules, and what user interfaces hear of them.

extension Daemon {
  /// Who may continue an offer, and why others may not.
  func match(_ offer: Offer, isHere: Bool = false) -> OfferMatch {
    registry.index.match(offer, rules, isHere: isHere, now: secondsSince1970())
  }

  /// The application that shall continue an offer: the one that the user names, or the one that is meant anyway.
  func chosenApplication(for match: OfferMatch, _ wanted: AppID?) throws(SegueError) -> InstalledApplication {
    if let wanted { return try match.candidate(wanted) }
    if let error = match.error { throw error }
    guard let application = match.preferred else { throw SegueError(.noApplication, "No application continues this.") }
    return application
  }

  /// The application that an argument names; nil where there is none.
  static func application(_ value: BusValue?) throws(SegueError) -> AppID? {
    guard let value else { return nil }
    guard let id = value.asString.flatMap({ AppID($0) }) else {
      throw SegueError(
        .invalidArgument, "This is no application id.", advice: "An application id looks like org.example.Editor.")
    }
    return id
  }

  /// Who would continue it, in an offer's dictionary.
  func describe(_ match: OfferMatch, in dictionary: inout BusDictionary) {
    let application = match.preferred ?? match.candidates.first
    dictionary["app-name"] = .string(application?.name ?? "")
    dictionary["local-app"] = .string(application?.appID.string ?? "")
    dictionary["candidates"] = .strings(match.candidates.map { $0.appID.string })
    dictionary["needs-choice"] = .bool(match.needsChoice)
  }
}
