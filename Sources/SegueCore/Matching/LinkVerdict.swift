/// What a domain's association file says of a link and an application (semantics W5).
public enum LinkVerdict: Equatable, Sendable {
  /// The pattern on this line has it opened in the application.
  case opens(line: Int)
  /// The pattern on this line keeps it out.
  case excluded(line: Int)
  /// The application is named, and no pattern matches.
  case unmatched
  /// The file does not name the application for links.
  case notNamed
}
