import SegueCore

/// The options of calls between the daemon and an application, as `a{sv}`.
public struct CallOptions: BusOptions {
  /// WasContinued: a browser shows the activity's page.
  public var inBrowser: Bool?
  /// WasContinued, WillContinue: which continuation it is.
  public var continuation: Identifier?
  /// WillContinue: the continuation is under way in the application already.
  public var resumes: Bool?
  /// WillContinue (also at the door), Continue: by which the desktop lets the application's window come to the front.
  public var activationToken: String?
  /// SetExpiry: milliseconds until the activity expires; nil: never.
  public var timeLeft: UInt64?
  /// Begin: the application shows a failure itself, so that the daemon need not (semantics V5).
  public var showsFailure: Bool?
  /// Register: the application has DoorApplication1.WillContinue.
  public var takesLaunches: Bool?

  public init(
    inBrowser: Bool? = nil, continuation: Identifier? = nil, resumes: Bool? = nil, activationToken: String? = nil,
    timeLeft: UInt64? = nil, showsFailure: Bool? = nil, takesLaunches: Bool? = nil
  ) {
    (self.inBrowser, self.continuation, self.resumes) = (inBrowser, continuation, resumes)
    (self.activationToken, self.timeLeft, self.showsFailure) = (activationToken, timeLeft, showsFailure)
    self.takesLaunches = takesLaunches
  }

  public init(_ fields: inout BusFields, _ own: CallOptions?) {
    inBrowser = fields("browser", own?.inBrowser)
    continuation = fields("continuation", own?.continuation)
    resumes = fields("resumes", own?.resumes)
    activationToken = fields("activation-token", own?.activationToken)
    timeLeft = fields("time-left", own?.timeLeft)
    showsFailure = fields("shows-failure", own?.showsFailure)
    takesLaunches = fields("takes-launches", own?.takesLaunches)
  }
}

/// The answer of FindDocument: the types that the application declares for the document, and the container that it is in.
public struct DocumentPlace: BusOptions {
  public var activityType: ActivityType?
  public var viewerType: ActivityType?
  public var container: String?

  public init(activityType: ActivityType?, viewerType: ActivityType?) {
    (self.activityType, self.viewerType) = (activityType, viewerType)
  }

  public init(_ fields: inout BusFields, _ own: DocumentPlace?) {
    activityType = fields("activity-type", own?.activityType)
    viewerType = fields("viewer-type", own?.viewerType)
    container = fields("container", own?.container)
  }
}
