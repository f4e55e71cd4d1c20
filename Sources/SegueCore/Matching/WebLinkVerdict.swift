/// The verdict of a domain's association file on a link and an application (semantics W5).
public enum WebLinkVerdict: Equatable, Sendable {
  /// The pattern on this line has the link opened in the application.
  case opens(line: Int)
  /// The pattern on this line keeps the link out of the application.
  case excluded(line: Int)
  /// The application is named, and no pattern matches.
  case unmatched
  /// The file does not name the application for links.
  case notNamed
}
