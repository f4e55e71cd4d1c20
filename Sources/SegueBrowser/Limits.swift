import SegueCore

extension Limits {
  // MARK: segue-browser
  /// Bytes that wait for a browser that does not read: as many as one message to it may have.
  public static let browserBacklog = 1024 * 1024
  /// Bytes of a tab's name.
  public static let browserKey = 64
  /// Tabs whose pages are activities.
  public static let browserPages = 128
  /// Pages of other devices that the browser is opening.
  public static let browserOpenings = 16
  /// Characters of the text at the top of a page.
  public static let browserText = 200
  /// Offers that are listed, and choices among them that are under way.
  public static let browserOffers = 64
  public static let browserChoices = 8
  /// The browser's time to say where a page is scrolled to, in milliseconds.
  public static let browserPlaceTime: UInt64 = 1_000
  /// The browser's time to open a page at its place.
  public static let browserOpenTime: UInt64 = 30_000
}
