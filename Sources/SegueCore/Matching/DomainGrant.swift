/// The applications that a domain's association file names, as far as this device knows (semantics W3-W5).
public struct DomainGrant: Equatable, Sendable {
  /// Applications that continue the domain's pages, each as `<team>.<app id>`.
  public var applications: Set<String>
  /// Applications that open the domain's links, or some of them.
  public var linking: Set<String>
  /// Why the file is not known, or not completely: a sentence; nil if the file was read and is good.
  public var problem: String?

  public init(applications: Set<String> = [], linking: Set<String> = [], problem: String? = nil) {
    self.applications = applications
    self.linking = linking
    self.problem = problem
  }

  /// The applications that the file names for a service.
  public func applications(for service: AssociatedDomain.Service) -> Set<String> {
    switch service {
    case .continuation: applications
    case .links: linking
    }
  }
}

/// The outcome of fetching a domain's association file.
public enum AssociationAnswer: Equatable, Sendable {
  /// The applications that continue the domain's pages, and those that open its links, each as `<team>.<app id>`.
  case file(Set<String>, linking: Set<String> = [])
  /// The domain has no such file, or one that is not good: the reason, a sentence.
  case refused(String)
  /// The file is unknown: the domain cannot be reached, its server fails (429, 5xx), or cannot prove its identity.
  case unreachable(String)
}

/// The record of a domain's association file that outlives the daemon.
public struct StoredAssociation: Equatable, Sendable {
  public var domain: DomainName
  public var grant: DomainGrant
  /// When its server last answered, and when it was last asked, in seconds since 1970.
  public var answered: UInt64
  public var asked: UInt64
  /// How often fetching has failed since the last good answer.
  public var failures: Int

  public init(domain: DomainName, grant: DomainGrant, answered: UInt64, asked: UInt64, failures: Int) {
    self.domain = domain
    self.grant = grant
    self.answered = answered
    self.asked = asked
    self.failures = failures
  }
}
