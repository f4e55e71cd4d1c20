/// The applications that a domain's association file names, as far as this device knows (semantics W3-W5).
public struct DomainGrant: Equatable, Sendable {
  /// Those that continue the domain's pages, each as `<team>.<app id>`.
  public var applications: Set<String>
  /// Those that open its links, or some of them.
  public var linking: Set<String>
  /// Why nothing is known, or nothing more: a sentence; nil if the file was read and is good.
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

/// What came of fetching a domain's association file.
public enum AssociationAnswer: Equatable, Sendable {
  /// The applications that continue the domain's pages, and those that open its links, each as `<team>.<app id>`.
  case file(Set<String>, linking: Set<String> = [])
  /// The domain has no such file, or one that is not good: the reason, a sentence.
  case refused(String)
  /// Nothing is known of the file: the domain could not be reached, or is not who it should be.
  case unreachable(String)
}

/// What is remembered of a domain's association file when the daemon ends.
public struct StoredAssociation: Equatable, Sendable {
  public var domain: DomainName
  public var grant: DomainGrant
  /// When its server last answered, and when it was last asked, in seconds since 1970.
  public var answered: UInt64
  public var asked: UInt64
  /// How often it has failed since it was good.
  public var failures: Int

  public init(domain: DomainName, grant: DomainGrant, answered: UInt64, asked: UInt64, failures: Int) {
    self.domain = domain
    self.grant = grant
    self.answered = answered
    self.asked = asked
    self.failures = failures
  }
}
