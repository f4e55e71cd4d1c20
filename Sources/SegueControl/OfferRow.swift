import SegueCore

/// Something that can be continued here: ListOffers. A text that is not known is empty.
public struct OfferRow: ControlValue {
  public var id = ""
  public var revision: UInt64 = 0
  public var type = ""
  /// The id of the application whose activity it is.
  public var appID = ""
  public var webHost: String?
  public var title: String?
  /// The application of this device that would continue it, the first of those that can; empty if none can.
  public var appName = ""
  public var localApp = ""
  /// Every application of this device that can continue it, and whether the user has to say which.
  public var candidates: [String] = []
  public var needsChoice = false
  /// Whether no application here continues it, and the default browser would open its page on `webHost`.
  public var isForBrowser = false
  public var deviceID = ""
  public var deviceName = ""
  /// Whether it is an activity of this device, for another application here.
  public var isHere = false
  /// Milliseconds since it was first seen here.
  public var age: UInt64 = 0
  /// Whether continuing it gives the last snapshot, since its application has ended or its device is out of reach.
  public var isStored = false
  /// For a stored copy: milliseconds since its state was saved.
  public var storedAge: UInt64?
  /// Where its file is: "shared", "elsewhere" or "given"; nil: it has none, or that is not known. A sentence where there is
  /// something to know before it is chosen.
  public var file: String?
  public var fileSentence: String?

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("revision", &revision)
    fields("type", &type)
    fields("app-id", &appID)
    fields("web-host", &webHost)
    fields("title", &title)
    fields("app-name", &appName)
    fields("local-app", &localApp)
    fields("candidates", &candidates)
    fields("needs-choice", &needsChoice)
    fields("in-browser", &isForBrowser)
    fields("device-id", &deviceID)
    fields("device-name", &deviceName)
    fields("here", &isHere)
    fields("age", &age)
    fields("stored", &isStored)
    fields("stored-age", &storedAge)
    fields("file", &file)
    fields("file-sentence", &fileSentence)
  }

  public mutating func conceal() {
    title = nil
    webHost = nil
  }
}
