import SegueCore

/// Why something is offered, or is not: Explain (semantics X1). Attributes that do not apply are absent.
public struct ExplanationRow: ControlValue {
  /// The activity; absent in a row about an application that has nothing on offer.
  public var id: String?
  public var type: String?
  public var appID = ""
  /// The application's name; empty if it is not installed.
  public var appName = ""
  public var title: String?
  /// Why the activity is current, in a sentence (semantics R6).
  public var currentReason: String?
  /// A mistake that the application's developer should mend.
  public var warning: String?
  /// The name of the other device that has it on offer.
  public var from: String?
  /// The id of the device that has it on offer, or of the device to which it is offered; the name of the latter.
  public var deviceID: String?
  public var deviceName: String?
  public var isOffered = false
  /// A word for programs, and a sentence for a person.
  public var reason = ""
  public var sentence = ""
  /// The application of this device that the row is about.
  public var localApp: String?

  public init() {}

  /// A row about an application that has nothing on offer.
  public init(_ appID: AppID, appName: String) {
    self.appID = appID.string
    self.appName = appName
  }

  /// A row about an activity of this device's applications.
  public init(_ activity: DoorActivity, of appID: AppID, appName: String) {
    self.init(appID, appName: appName)
    id = activity.id.hex
    type = activity.type.string
    title = activity.title.map { DisplayText.clean($0) }
  }

  /// A row about an offer of another device.
  public init(_ offer: Offer, from device: DeviceID, deviceName: String, appName: String) {
    self.init(offer.appID, appName: appName)
    id = offer.id.hex
    type = offer.type.string
    title = offer.title
    from = deviceName
    deviceID = device.description
  }

  /// This row with a verdict.
  public func adding(
    _ isOffered: Bool, _ reason: String, _ sentence: String, application: InstalledApplication? = nil
  ) -> ExplanationRow {
    var row = self
    row.isOffered = isOffered
    row.reason = reason
    row.sentence = sentence
    row.localApp = application?.appID.string
    return row
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id)
    fields("type", &type)
    fields("app-id", &appID)
    fields("app-name", &appName)
    fields("title", &title)
    fields("warning", &warning)
    fields("current-reason", &currentReason)
    fields("from", &from)
    fields("offered", &isOffered)
    fields("reason", &reason)
    fields("sentence", &sentence)
    fields("device-name", &deviceName)
    fields("device-id", &deviceID)
    fields("local-app", &localApp)
  }

  public mutating func conceal() {
    title = nil
    currentReason = nil
  }
}
