import SegueBus
import SegueCore
import SegueState

// Who may continue what on this device: the rules.

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

  /// The application that an argument names.
  static func application(_ name: String) throws(SegueError) -> AppID {
    guard let id = AppID(name) else {
      throw SegueError(
        .invalidArgument, "This is no application id.", advice: "An application id looks like org.example.Editor.")
    }
    return id
  }
}
