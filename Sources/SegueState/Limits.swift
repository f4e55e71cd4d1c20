import SegueCore

extension Limits {
  // MARK: Times, in milliseconds
  /// How long a daemon waits for another one that ends, and has its folder until then.
  public static let lockTime: UInt64 = 1_000
  /// How long a thread without work waits for some before it ends.
  public static let threadLinger: UInt64 = 2_000

  // MARK: The link
  /// Removed devices that are remembered.
  public static let removedDevices = 256

  // MARK: Files
  /// Folders of data that the environment may name.
  public static let dataFolders = 64
  /// Bytes of a script that starts a browser, in which that is looked for.
  public static let launcherLength = 64 * 1024
  /// Desktop files that are looked into for a browser, where no list names one.
  public static let desktopFilesSearched = 1_024
  /// Folders of configuration, desktops, browsers and languages that the environment may name, of each.
  public static let environmentItems = 16
}
