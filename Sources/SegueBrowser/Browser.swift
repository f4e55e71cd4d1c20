import SegueCore

/// The browsers that the extension runs in.
enum Browser: String, CaseIterable {
  case firefox, chromium

  /// As which application the host takes part for it.
  var appID: String { self == .firefox ? "org.segue.Browser.Firefox" : "org.segue.Browser.Chromium" }

  /// The extension's id in Firefox; in Chromium it follows from the key in the extension's manifest.
  static let firefoxExtension = "segue@segue.org"
  static let chromiumOrigin = "chrome-extension://nbbjfdlggaeecmhbjlegjnkcigfmcpib/"

  /// Which browser has started this process, by what the browsers say: Chromium the extension's origin, Firefox the
  /// manifest of the host, and the extension's id. Nil where it was not one of them for this extension.
  init?(startedWith arguments: [String]) {
    if arguments.first == Self.chromiumOrigin {
      self = .chromium
    } else if arguments.count >= 2, arguments[0].begins(with: "/"), arguments[1] == Self.firefoxExtension {
      self = .firefox
    } else {
      return nil
    }
  }

  /// The programs that it may be, the one to take first.
  var programs: [String] {
    switch self {
    case .firefox: ["firefox-esr", "firefox"]
    case .chromium: ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]
    }
  }
}
