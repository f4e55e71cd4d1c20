/// An application as its desktop file and its service file declare it.
public struct InstalledApplication: Equatable, Sendable {
  /// The authority that vouches for the files that declare an application (security, section 4), the weakest first.
  public enum Tier: UInt8, Comparable, Sendable {
    /// Any process that may write to the user's home folder.
    case user
    /// The administrator: root owns the files and all directories above them.
    case system
    /// The administrator, and at run time the kernel: the application runs in a sandbox that carries its id.
    case sandbox

    public static func < (left: Tier, right: Tier) -> Bool { left.rawValue < right.rawValue }
  }

  public var appID: AppID
  /// The name in the user's language, fit to be shown on one line.
  public var name: String
  /// The name of a themed icon, or an absolute path.
  public var icon: String?
  /// The desktop file's path.
  public var desktopFile: String
  public var tier: Tier
  /// The activity types that the application can continue, those of documents included; each once, in the file's order.
  public var activityTypes: [ActivityType]
  /// The type of the activities that documents have, by MIME type.
  public var documentTypes: [MIMEType: ActivityType]
  /// The same for documents that are only looked at; where one is missing, `documentTypes` counts.
  public var viewerTypes: [MIMEType: ActivityType]
  /// The application's version of each type for which it states one; versions begin at 1 (semantics X8).
  public var versions: [ActivityType: UInt64]
  /// The team that the application claims to belong to. The claim proves nothing.
  public var team: String?
  /// The programs that the application says to act for, as the ids of their desktop files: a native host acts for its
  /// browser (semantics W2).
  public var actsFor: [String]
  /// The domains that the application claims to belong to, each claim once. The domains' files have to agree.
  public var domains: [AssociatedDomain]
  /// The command lines of the desktop file's Exec and TryExec, split into words.
  public var desktopCommands: [[String]]
  /// The path of the service file by which D-Bus starts the application; nil if there is no usable one.
  public var serviceFile: String?
  /// The command line in the service file, split into words; empty without a service file.
  public var exec: [String]
  /// A sentence for each problem with the files.
  public var problems: [String]

  public init(
    appID: AppID, name: String, icon: String? = nil, desktopFile: String, tier: Tier, activityTypes: [ActivityType],
    documentTypes: [MIMEType: ActivityType] = [:], viewerTypes: [MIMEType: ActivityType] = [:],
    versions: [ActivityType: UInt64] = [:], team: String? = nil, actsFor: [String] = [],
    domains: [AssociatedDomain] = [], desktopCommands: [[String]] = [], serviceFile: String? = nil, exec: [String] = [],
    problems: [String] = []
  ) {
    self.appID = appID
    self.name = name
    self.icon = icon
    self.desktopFile = desktopFile
    self.tier = tier
    self.activityTypes = activityTypes
    self.documentTypes = documentTypes
    self.viewerTypes = viewerTypes
    self.versions = versions
    self.team = team
    self.actsFor = actsFor
    self.domains = domains
    self.desktopCommands = desktopCommands
    self.serviceFile = serviceFile
    self.exec = exec
    self.problems = problems
  }
}

extension InstalledApplication {
  /// Whether it says to act for the application with this id: from outside, while that one may take part by itself.
  public func acts(for id: AppID) -> Bool { actsFor.contains { $0.isSame(as: id.string + ".desktop") } }

  /// Whether both act for the same program, or one of them is that program.
  public func isSameProgram(as other: InstalledApplication) -> Bool {
    acts(for: other.appID) || other.acts(for: appID)
      || actsFor.contains { program in other.actsFor.contains { $0.isSame(as: program) } }
  }
}
