import SegueCore

extension Limits {
  // MARK: segue-bridge
  /// Processes of one program that are known at once.
  public static let bridgePlayers = 32
  /// Folders that a file manager shows, and names that are selected in one.
  public static let bridgeLocations = 256
  /// Bytes of a file in which a program keeps its settings or places, and how deep its values may lie in each other.
  public static let bridgeRecord = 1024 * 1024
  public static let bridgeDepth = 32
  /// Bytes of a file that is read, for its digest or to find a place in it.
  public static let bridgeFile = 64 * 1024 * 1024
  /// Bytes of a place in a book (`cfi`).
  public static let bridgePlace = 1024
  /// Bytes of an address or a text that a program has said.
  public static let bridgeText = 4096
  /// Bytes of a conversation's transcript, and how deep its values may lie in each other.
  public static let conversationTranscript = 16 * 1024 * 1024
  public static let conversationDepth = 128
  /// Bytes of its beginning that are read for what it is about, and of the end of what its program notes of the last one.
  public static let conversationBeginning = 256 * 1024
  /// Folders that are looked at for a clone of a conversation's repository.
  public static let conversationFolders = 4096
  /// Readings of a player's position after which a film stays where it is.
  public static let bridgeSeeks = 30
  /// Requests to a program that has just started, until it counts as silent.
  public static let bridgeGreetings = 4
  /// A program's time to answer, in milliseconds.
  public static let bridgeAnswerTime: UInt64 = 1_000
  /// The time between two readings while something is being opened.
  public static let bridgeReadTime: UInt64 = 100
  /// A program's time to open something at its place, and before that its time to start.
  public static let bridgeOpenTime: UInt64 = 10_000
  public static let bridgeLaunchTime: UInt64 = 15_000
  /// The time of a second process, until it gives way to the one that runs.
  public static let bridgeYieldTime: UInt64 = 2_000
}
