import SegueCore

/// An activity that an application of this device has on offer: ListActivities.
public struct ActivityRow: ControlValue {
  public var id = ""
  public var revision: UInt64 = 0
  public var type = ""
  public var appID = ""
  public var webHost: String?
  public var title: String?
  /// The application's name; empty if it is not installed.
  public var appName = ""
  /// Whether it is withheld from other devices.
  public var isWithheld = false

  public init() {}

  public init(_ offer: Offer, appName: String, isWithheld: Bool) {
    id = offer.id.hex
    revision = offer.revision
    type = offer.type.string
    appID = offer.appID.string
    webHost = offer.webHost
    title = offer.title
    self.appName = appName
    self.isWithheld = isWithheld
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("revision", &revision)
    fields("type", &type)
    fields("app-id", &appID)
    fields("web-host", &webHost)
    fields("title", &title)
    fields("app-name", &appName)
    fields("withheld", &isWithheld)
  }

  public mutating func conceal() {
    title = nil
    webHost = nil
  }
}
