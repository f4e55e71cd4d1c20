/// The name of a host in the internet, in its ASCII form: lower-case letters, digits and hyphens in two or more labels.
/// A name in another script is written as DNS has it (`xn--…`), so that two that look alike are told apart.
public struct DomainName: ValidatedName {
  public let string: String

  /// Nil for anything else: upper case, a dot at the end, a port, a user, or an address in place of a name.
  public init?(_ string: String) {
    guard string.utf8.count <= Limits.domainLength else { return nil }
    var labels = 0
    var length = 0
    var isNumber = true
    var last = UInt8(ascii: "-")
    for byte in string.utf8 {
      if byte == UInt8(ascii: ".") {
        guard length > 0, last != UInt8(ascii: "-") else { return nil }
        labels &+= 1
        (length, isNumber, last) = (0, true, UInt8(ascii: "-"))
        continue
      }
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): isNumber = false
      case UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case UInt8(ascii: "-") where length > 0: isNumber = false
      default: return nil
      }
      length &+= 1
      guard length <= 63 else { return nil }
      last = byte
    }
    // The last label of an IPv4 address is a number, and that of a name never is.
    guard labels > 0, length > 0, last != UInt8(ascii: "-"), !isNumber else { return nil }
    self.string = string
  }

  private init(accepted string: Substring) { self.string = String(string) }

  /// The name without its first label; nil where one label would be left.
  public var parent: DomainName? {
    guard let dot = string.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let rest = string[string.utf8.index(after: dot)...]
    return rest.utf8.contains(UInt8(ascii: ".")) ? DomainName(accepted: rest) : nil
  }
}

/// An application's claim that it belongs to a domain, as its desktop file has it: `activitycontinuation:example.com`,
/// or `applinks:*.example.com` (semantics W3, W5). The domain's association file has to agree.
public struct AssociatedDomain: Hashable, Sendable {
  public enum Service: String, Hashable, Sendable {
    /// Pages of the domain that are read on another device are continued in the application.
    case continuation = "activitycontinuation"
    /// Links to the domain are opened in the application.
    case links = "applinks"
  }

  public let service: Service
  public let domain: DomainName
  /// Written `*.`: all names below the domain, and not the domain itself. The file is the domain's.
  public let isWildcard: Bool

  public init(_ service: Service, _ domain: DomainName, isWildcard: Bool = false) {
    self.service = service
    self.domain = domain
    self.isWildcard = isWildcard
  }

  /// Nil unless it is written as above.
  public init?(_ string: String) {
    guard let colon = string.utf8.firstIndex(of: UInt8(ascii: ":")),
      let service = Service(rawValue: String(string[..<colon]))
    else { return nil }
    let pattern = String(string[string.utf8.index(after: colon)...])
    let below = pattern.rest(after: "*.")
    guard let domain = DomainName(below ?? pattern) else { return nil }
    self.init(service, domain, isWildcard: below != nil)
  }

  public var string: String { service.rawValue + ":" + pattern }

  /// The hosts that are claimed: the domain, or `*.` and the domain for all names below it.
  public var pattern: String { (isWildcard ? "*." : "") + domain.string }

  /// Why a claim of a desktop file is invalid, in a sentence. It names what Apple's entitlement allows and Segue does
  /// not.
  public static func problem(of claim: String) -> String {
    let name = DisplayText.clean(claim, maximum: Limits.shownName)
    let utf8 = claim.utf8
    if let mark = utf8.firstIndex(of: UInt8(ascii: "?")) {
      let mode = DisplayText.clean(String(claim[mark...]), maximum: Limits.shownName)
      return "\(key): \(name) has \(mode), and Segue knows no modes. It reads a domain's file itself, whenever it is"
        + " asked (segue domain check), so none is needed for developing."
    }
    for service in ["webcredentials", "appclips"] where utf8.starts(with: "\(service):".utf8) {
      return "\(key): \(name) is ignored, since \(service) is not Segue's business:"
        + " it knows activitycontinuation and applinks."
    }
    return "\(key): \(name) is not activitycontinuation:<host> or applinks:<host>."
  }

  /// The desktop file's key.
  public static let key = "X-Segue-AssociatedDomains"
}
