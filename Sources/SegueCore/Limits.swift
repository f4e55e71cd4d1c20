/// The bounds of Segue. Each room has a file of this name with the bounds that are its own; here are those of values,
/// names, files and messages, and those that several rooms share. `docs/limits.md` says what happens past each; the
/// comments name the source of a bound where there is one.
public enum Limits {
  // MARK: Activities
  /// Bytes of an encoded userInfo above which one warning per type is logged (Apple advises 3 KB).
  public static let userInfoAdvised = 3 * 1024
  /// Bytes of an encoded userInfo above which a snapshot is refused with HandoffUserInfoTooLarge.
  public static let userInfoMaximum = 100 * 1024
  /// Bytes of an encoded userInfo above which it crosses a bus in a sealed memfd instead of an array.
  public static let userInfoInline = 4 * 1024
  /// Bytes that segue_value_decode takes: no userInfo is larger, but a value of its own may be.
  public static let decodedLength = 1024 * 1024
  /// Containers inside containers that a value may have.
  public static let valueDepth = 16
  /// Values in one userInfo, containers and keys included.
  public static let valueNodes = 4096
  /// Entries of one dictionary.
  public static let dictionaryEntries = 256
  /// Bytes of a string that is a dictionary key.
  public static let keyLength = 128
  /// Bytes of a single string or data value.
  public static let valueLength = 64 * 1024
  /// Bytes of a title that is shown whole; a longer one is cut for display.
  public static let titleAdvised = 128
  /// Bytes of a title that is accepted at all.
  public static let titleMaximum = 512
  /// Bytes of a target content identifier or a persistent identifier.
  public static let identifierLength = 512
  /// Bytes of a web page's URL.
  public static let urlMaximum = 2048
  /// Bytes of an activity type, an application id or a bus name (D-Bus specification).
  public static let nameLength = 255
  /// Activity types that one application may declare.
  public static let typesPerApplication = 256
  /// Teams that a device remembers, keys that one after the other may be a team's, and bytes of a team's id.
  public static let teams = 256
  public static let teamKeys = 16
  public static let teamLength = 128
  /// Keywords of one activity, of `keyLength` bytes each.
  public static let keywords = 64
  /// Persistent identifiers in one call that deletes stored copies.
  public static let deletedIdentifiers = 256
  /// Files in containers that one snapshot names.
  public static let filesPerSnapshot = 64
  /// Bytes of all that a snapshot says of these files, so that the head of a fetch's answer has room for it.
  public static let filesLength = 48 * 1024
  /// Offers that one device may make. As many of its former ones can still be chosen.
  public static let offersPerDevice = 32
  /// Offers that one application is told of.
  public static let offersPerApplication = 64
  /// States of one application that are stored for its own return (C17).
  public static let storedStatesPerApplication = 64
  /// Stored copies in all, and the bytes that they take.
  public static let storedCopies = 2048
  public static let storedBytes = 32 * 1024 * 1024

  // MARK: Times, in milliseconds
  /// An application's time to answer a save (S6).
  public static let saveTime: UInt64 = 8_000
  /// A continuation's time to fetch the payload from the other device.
  public static let fetchTime: UInt64 = 10_000
  /// A continuation's time to wait for a file to arrive in a container (R8).
  public static let containerTime: UInt64 = 30_000
  /// An application's time from the launch message to its claim (V8).
  public static let launchTime: UInt64 = 25_000
  /// The claim's time to its answer: fetch, container and a margin.
  public static let claimTime: UInt64 = fetchTime + containerTime + 2_000
  /// How much longer than the daemon an application waits, so that only a daemon that hangs is overtaken.
  public static let answerMargin: UInt64 = 2_000
  /// A ticket's life.
  public static let ticketTime: UInt64 = launchTime + claimTime
  /// An application's silence after a launch message before it is shown as "not responding" (V18).
  public static let notRespondingTime: UInt64 = 5_000
  /// How long an application may take to finish a continuation before the origin is no longer told (V11).
  public static let finishTime: UInt64 = 60_000
  /// A bus call's time to its reply, unless the call says another.
  public static let callTime: UInt64 = 25_000
  /// The time in which a shell's completion has the daemon's answer.
  public static let completionTime: UInt64 = 1_000
  /// A call's time that the bus itself, or an application that only takes note, answers.
  public static let busTime: UInt64 = 5_000
  /// How long the daemon waits for a session bus that is gone before it ends; the next call starts a new one.
  public static let busAbsence: UInt64 = 60_000
  /// The time to the first of the attempts to reach a bus or a daemon that is gone; each later one takes twice as long.
  public static let reconnectTimeFirst: UInt64 = 100
  /// The longest time between two attempts to reach a bus or a daemon that is gone.
  public static let reconnectTime: UInt64 = 5_000
  /// The time for the bytes that are queued for a connection to leave when it is closed.
  public static let farewellTime: UInt64 = 200
  /// The shortest time between two announcements of offers to one device, after a burst.
  public static let announceInterval: UInt64 = 250
  /// The command line's wait for the end of a continuation: longer than any takes.
  public static let continueTime: UInt64 = fetchTime + ticketTime + finishTime + 5_000

  // MARK: Files that are brought
  /// Files that one application has asked for and has not got.
  public static let filesPerApplication = 64
  /// Bytes of what says which version of a file it is.
  public static let fileVersionLength = 64
  /// How often a file is begun anew because it has changed.
  public static let fileRestarts = 3

  // MARK: The daemon's callers
  /// Connections at the private door.
  public static let doorConnections = 128
  /// Bytes that may be queued for one connection.
  public static let queuedBytes = 1024 * 1024

  // MARK: The link
  /// Bytes of one frame's payload.
  public static let frameLength = 64 * 1024
  /// Bytes of data in a frame of a channel that this side sends. Two frames leave in one write, which Linux hands on in
  /// parts of whole packets: 64,240 bytes over Ethernet (44 of 1,460), 65,483 over the loopback. With their headers and
  /// what TLS adds, two frames fill two parts, and no third wakes the other side for a few bytes.
  public static let dataLength = 64_000
  /// Bytes of the head that answers a request for a stream or a file.
  public static let streamHeadLength = 4 * 1024
  /// Bytes of one frame's payload before "welcome".
  public static let frameLengthBeforeWelcome = 8 * 1024
  /// How long a device can be paired after its user said so, and how long a copied code is good.
  public static let pairingWindowTime: UInt64 = 120_000
  /// The pause before a device is dialled again that does not pair yet.
  public static let pairRetryTime: UInt64 = 2_000
  public static let pairingCodeTime: UInt64 = 300_000
  /// Connections of devices that pair, between which one is chosen; and those that are held until it is said which go.
  public static let pairingConnections = 8
  public static let pairingConnectionsHeld = 16
  /// Unauthenticated connections: from one source, and in all.
  public static let unauthenticatedPerSource = 4
  public static let unauthenticatedConnections = 32
  /// Addresses of one device: that its user gave, and again that it told itself.
  public static let deviceAddresses = 8
  /// How often it is written down where one device can be dialled: so often at once, then once in this time.
  public static let learnBurst: UInt64 = 8
  public static let learnInterval: UInt64 = 30_000
  /// Paired devices.
  public static let devices = 32
  /// Bytes of a text that is sent to another device.
  public static let sentText = 16 * 1024
  /// Time without a sign of life after which an idle side gives one, and after which a peer is lost (X10: 6 s).
  public static let heartbeatTime: UInt64 = 5_000
  public static let silenceTime: UInt64 = 5_900
  /// The time without an answer after which a ping follows what was sent, and the time for the ping's answer before the
  /// peer counts as lost. X10 bounds their sum.
  public static let pingTime: UInt64 = 3_000
  public static let pongTime: UInt64 = 2_500
  /// Time between two dials of a paired device: at first, and at most.
  public static let dialTime: UInt64 = 1_000
  public static let dialTimeMaximum: UInt64 = 30_000

  // MARK: Files
  /// Bytes of a desktop file, a service file, a configuration or a state file.
  public static let fileLength = 256 * 1024
  /// Bytes of a file's path, and of one element of it (PATH_MAX and NAME_MAX, without the NUL).
  public static let pathLength = 4095
  public static let fileNameLength = 255
  /// Bytes of one sentence in a log or on a terminal.
  public static let sentenceLength = 1024
  /// Bytes of another side's words that are quoted in such a sentence.
  public static let quotedLength = 256
  /// Bytes of a name or a word of a file's, a caller's or a plugin's in such a sentence.
  public static let shownName = 128
  /// Bytes of a path in it.
  public static let shownPath = 512

  // MARK: Associated domains
  /// Bytes of a host's name (RFC 1035, in the form that is written).
  public static let domainLength = 253
  /// How long a fetch may take until the server is connected, and in all.
  public static let associationConnectTime: UInt64 = 5_000
  public static let associationTime: UInt64 = 10_000

  // MARK: Plugins
  /// Kinds of objects in one plugin, and bytes of such a kind's id.
  public static let pluginObjects = 64
  public static let pluginObjectIDLength = 64
  /// Properties of one object; it may share userInfo with others.
  public static let pluginProperties = 128
  /// Parameters of one function of a plugin, besides the object.
  public static let pluginParameters = 16
  /// Elements of an array that a plugin gives or gets.
  public static let pluginElements = valueNodes
  /// The time that `segue plugin check` gives a plugin, in milliseconds, and the bytes that it reads of what was found.
  public static let pluginCheckTime: UInt64 = 10_000
  public static let pluginReportLength = fileLength
  /// Bytes of one line of that: more than the longest finding.
  public static let pluginReportLine = 8 * 1024

  // MARK: segue-browser
  /// Bytes of one message from the browser, and levels of what is inside of what in it.
  public static let browserMessage = 64 * 1024
  public static let browserNesting = 8
}
