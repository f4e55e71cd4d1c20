import SegueCore

extension Limits {
  // MARK: Activities
  /// Keys that one activity may name as required.
  public static let requiredKeys = dictionaryEntries
  /// Responders that go with one document.
  public static let documentResponders = 256
  /// Open documents whose files are followed where other programs rename or move them. Each takes a descriptor.
  public static let followedDocuments = 256
  /// Folders above such a file that are watched, from the nearest one up.
  public static let followedFolders = 32
  /// How long after something has happened to such a file its name is looked up, in milliseconds: who saves may move it
  /// away first, and make it anew.
  public static let documentMoveTime: UInt64 = 500
  /// Bytes that a caller's struct may say that it has: this version's, and room for what later ones add.
  public static let structLength = 4096

  // MARK: Times, in milliseconds
  /// The time in an application's callbacks for one save, above which its developer is told.
  public static let saveAdvised: UInt64 = 1_000
  /// How long a launch message waits for an application that is not ready before its developer is told.
  public static let readyTime: UInt64 = 3_000
  /// The longest life of an activity that is counted: 100 years, longer than any application runs.
  public static let lifeTime: UInt64 = 3_155_760_000_000

  /// How long the windows of an application that starts may wait for the states of an earlier run (C17).
  public static let stateTime: UInt64 = 5_000

  // MARK: States of an earlier run
  /// Requests of one application for them that are under way.
  public static let stateRequests = 16
  /// Activities that ended while there was no daemon, which is told of them later.
  public static let untoldEnds = 64

  // MARK: Continuations
  /// Choices of one application, made in its own window, that have not begun.
  public static let choicesPerApplication = 16

  // MARK: Streams
  /// Streams of which an application remembers how they ended.
  public static let streamsRemembered = 256

  // MARK: Files
  /// Lines for its developer that wait for an application's next dispatch.
  public static let logLines = 256

  // MARK: Plugins
  /// Plugins that one application may load.
  public static let plugins = 64
  /// Objects of plugins that one application may have at once.
  public static let pluginInstances = 4096
  /// Symbolic links on the way to a plugin's folder, as in the kernel.
  public static let pluginLinks = 40
  /// Functions that one object's closures may make.
  public static let pluginClosures = 64
}
