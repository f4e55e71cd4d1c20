import SegueCore

/// An application's claim to the links of a domain: ListLinks (semantics W5).
public struct WebLinkRow: ControlValue {
  /// The domain as the claim writes it: `example.com`, or `*.example.com` for all names below it.
  public var domain = ""
  public var appID = ""
  public var appName = ""
  /// Whether the application opens the links for which the domain's file has a pattern.
  public var isOpening = false
  /// Why it does not: a word for programs, and a sentence for a person; empty where it does.
  public var reason = ""
  public var sentence = ""

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("domain", &domain, isNeeded: true)
    fields("app-id", &appID)
    fields("app-name", &appName)
    fields("opens", &isOpening)
    fields("reason", &reason)
    fields("sentence", &sentence)
  }
}
