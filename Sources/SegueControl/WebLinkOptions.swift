/// The options of the method OpenLink.
public struct WebLinkOptions: ControlValue {
  /// The activation token, by which the desktop lets the application's window come to the front.
  public var activationToken: String?
  /// Whether the caller is a browser: if no application opens the link, the daemon then starts no browser.
  public var isInBrowser: Bool?

  public init() {}

  public init(activationToken: String?, isInBrowser: Bool = false) {
    self.activationToken = activationToken
    self.isInBrowser = isInBrowser
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("activation-token", &activationToken)
    fields("in-browser", &isInBrowser)
  }
}
