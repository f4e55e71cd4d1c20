import SegueCore

extension Limits {
  // MARK: segue-shell
  /// Bytes of one frame between a viewer and a session.
  public static let shellFrameLength = 64 * 1024
  /// Bytes of output that wait for a viewer.
  public static let shellBacklog = 1024 * 1024
  /// Bytes of input that wait for a program that reads none, or for a session's first word.
  public static let shellInput = 64 * 1024
  /// Viewers of one session at once, and connections to it whose other side has not said yet what it is.
  public static let shellViewers = 16
  /// Sessions of a user.
  public static let shellSessions = 64
  /// Lines that have left a session's screen; their text, in places of a screen and what keeping them takes beside it; and
  /// places of one line: what follows is the next.
  public static let shellHistory = 2000
  public static let shellHistoryText = 2 * 1024 * 1024
  public static let shellLine = 64 * 1024
  /// A session's size.
  public static let shellRows = 500
  public static let shellColumns = 1000
  /// Bytes between the beginning of a control sequence and its last letter, and of the text of one that carries text.
  public static let shellSequence = 128
  public static let shellText = 4096
  /// Parameters of a control sequence, and the largest of them.
  public static let shellParameters = 16
  public static let shellParameter = 9999
  /// Bytes that repeated characters may add to what is read of a program at once.
  public static let shellRepeats = 256 * 1024
  /// Bytes of a title, or of a device's or a program's name.
  public static let shellName = 128
  /// Milliseconds between two drawings for a viewer whose terminal has another size than the session.
  public static let shellDrawInterval: UInt64 = 40
  /// A viewer's time to say who it is, and to take some of what a session says last; in milliseconds.
  public static let shellHelloTime: UInt64 = 10_000
  /// The whole time that it may take for what a session says last, some at a time.
  public static let shellFarewellTime: UInt64 = 600_000
  /// How long nothing may come behind an escape key of the viewer for it to count as typed, and not as pasted text.
  public static let shellPasteTime: UInt64 = 50
  /// How long a connection holds before its loss counts as the first one, after which it is tried again soon.
  public static let shellHeldTime: UInt64 = 10_000
  /// The time of a session to say what it is.
  public static let shellAskTime: UInt64 = 2_000
  /// The time of a terminal's program to start a viewer, of another device to offer what is looked at, and of a service
  /// without work to its end.
  public static let shellLaunchTime: UInt64 = 15_000
}
