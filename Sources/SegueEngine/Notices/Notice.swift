import SegueCore

/// A notification. All texts are plain and fit to be shown. The service escapes them for a notification server that
/// knows markup (attack 35).
public struct Notice: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// Another device has something on offer; it can be continued.
    case offer
    /// A paired device has introduced another one, which waits for the user's word.
    case introduction
    /// The user of another device has sent a text.
    case text
    /// Something is on its way, and the application does not show it.
    case progress
    /// A continuation failed, and the application does not show it.
    case failure
  }

  /// An action that the user may take on it.
  public enum Action: String, Sendable {
    case `continue`, accept, decline, read
  }

  /// The application of this device that it is about.
  public struct Application: Equatable, Sendable {
    /// Nil where there is none.
    public let appID: AppID?
    public let name: String
    /// A themed icon's name, or an absolute path.
    public let icon: String?

    public init(_ application: InstalledApplication) {
      appID = application.appID
      name = application.name
      icon = application.icon
    }

    private init(_ name: String, icon: String?) {
      appID = nil
      self.name = name
      self.icon = icon
    }

    /// Where no application is known.
    public static let none = Application("Segue", icon: nil)

    /// Whichever browser opens a page (semantics W1): the desktop knows which.
    public static let browser = Application("Web Browser", icon: "web-browser")
  }

  public let kind: Kind
  public let application: Application
  public let summary: String
  /// The lines of the body. Texts of different devices and people never share a line, where one could pretend to be
  /// part of another.
  public let lines: [String]
  /// Whether a person waits for it, or must answer. An offer only is there when it is looked for.
  public let mayInterrupt: Bool

  /// The actions that the user can choose, in this order.
  public var actions: [Action] {
    switch kind {
    case .offer: [.continue]
    case .introduction: [.accept, .decline]
    case .text: [.read]
    case .progress, .failure: []
    }
  }

  /// The action of a click on the notification; nil if a click only shows it. A stray click must not pair a device.
  public var clicked: Action? {
    switch kind {
    case .offer: .continue
    case .text: .read
    case .introduction, .progress, .failure: nil
    }
  }

  private init(_ kind: Kind, _ application: Application, _ lines: [String?], mayInterrupt: Bool = true) {
    self.kind = kind
    self.mayInterrupt = mayInterrupt
    self.application = application
    summary = application.name
    self.lines = lines.compactMap { line in
      line.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// `isSent`: that device's user has sent it here. `file`: what to know of its file before it is chosen.
  static func offer(
    _ application: Application, title: String?, pageHost: String?, origin: String, isSent: Bool = false,
    file: String? = nil
  ) -> Notice {
    let from = isSent ? "Sent from \(origin)" : "From \(origin)"
    return Notice(
      .offer, application, [shortened(title), pageHost.map { "A page on \($0)" }, from, file], mayInterrupt: isSent)
  }

  /// The card of a text: only its beginning.
  static func text(_ text: String, origin: String) -> Notice {
    Notice(.text, .none, [shortened(text), "Sent from \(origin)"])
  }

  /// `words`: the start of the device's id, to compare with what that device shows.
  static func introduction(name: String, introducer: String, words: String) -> Notice {
    Notice(
      .introduction, .none,
      ["Pair with \(DisplayText.quoted(name, maximum: Limits.titleAdvised))?", "Introduced by \(introducer)", words])
  }

  static func progress(_ application: Application, title: String?, origin: String) -> Notice {
    Notice(.progress, application, [shortened(title), "On its way from \(origin)"], mayInterrupt: false)
  }

  static func notResponding(_ application: Application, title: String?) -> Notice {
    Notice(
      .progress, application, [shortened(title), "\(application.name) does not respond yet."], mayInterrupt: false)
  }

  static func failure(_ application: Application, title: String?, _ error: SegueError) -> Notice {
    Notice(.failure, application, [shortened(title), error.message, error.advice])
  }

  private static func shortened(_ title: String?) -> String? {
    title.map { DisplayText.clean($0, maximum: Limits.titleAdvised) }
  }
}
