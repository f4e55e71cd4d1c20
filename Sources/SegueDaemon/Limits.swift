import SegueCore

extension Limits {
  // MARK: Activities
  /// Programs that an application says to act for.
  public static let actsFor = 8
  /// The store's file, whatever the copies say that they take.
  public static let storeFileBytes = 128 * 1024 * 1024

  // MARK: Times, in milliseconds
  /// The time between two looks for such a file, where the file system does not tell of its arrival.
  public static let containerLookTime: UInt64 = 1_000
  /// How long the origin looks for the containers of a userInfo's files, should a file system not answer.
  public static let containerNameTime: UInt64 = 2_000
  /// How long a daemon that ends waits until everything is stored that it was asked to store.
  public static let storeFarewellTime: UInt64 = 2_000
  /// How long user interfaces may be told late that a continuation launches or has begun; where it has ended by then, they
  /// are not told at all.
  public static let passingStateTime: UInt64 = 20
  /// How long a daemon that cannot start says so to those who have it started.
  public static let startFailureTime: UInt64 = 1_000
  /// How long what the journal had before may stay in its file.
  public static let journalRestTime: UInt64 = 1_000
  /// The shortest time between two of one device's messages that something was continued, or that it has heard so, after
  /// a burst.
  public static let continuedInterval: UInt64 = 1
  /// The number of such messages that one device may send at once.
  public static let continuedBurst: UInt64 = 128
  /// The shortest time between two channels that one device opens, after a burst.
  public static let openInterval: UInt64 = 50
  /// Channels that one device may open at once: twice as many as it may have.
  public static let openBurst: UInt64 = 64
  /// A browser's program that is still there after so long has opened the page.
  public static let browserTime: UInt64 = 1_000
  /// The time to choose in the desktop's portal by which program a page is opened.
  public static let portalTime: UInt64 = 60_000

  // MARK: Streams
  /// Bytes of one stream that wait here to be sent.
  public static let streamBytes = 512 * 1024
  /// Bytes that wait in the kernel between an application and the daemon, or another application, one way.
  public static let streamPipeBytes = 256 * 1024

  // MARK: Files that are brought
  /// Bytes of a file that are read at once.
  public static let filePiece = 2 * dataLength
  /// How often a byte shows that a file is still being read once more.
  public static let fileSignTime: UInt64 = 30_000
  /// The shortest time between two words of how far a file is.
  public static let fileProgressTime: UInt64 = 100
  /// Copies in the cache, the bytes that they take, and how long each is kept: 7 days.
  public static let fileCopies = 256
  public static let fileCopyBytes: UInt64 = 16 * 1024 * 1024 * 1024
  public static let fileCopyTime: UInt64 = 604_800_000
  /// Bytes that are left free on the cache's disk.
  public static let fileReserve: UInt64 = 64 * 1024 * 1024
  /// Bytes of a file for which the disk keeps room before they come.
  public static let fileRoom: UInt64 = 8 * 1024 * 1024

  // MARK: The daemon's callers
  /// Bytes of one message at the private door: before its sender has said Hello, and after. A larger one goes in a
  /// sealed memfd.
  public static let doorMessageBeforeHello = 4 * 1024
  public static let doorMessageLength = 256 * 1024
  /// Bytes of what Flatpak calls one run of an application.
  public static let instanceLength = 64
  /// The life of a token for the private door.
  public static let doorTokenTime: UInt64 = 30_000
  /// Tokens for the private door of which it is remembered that they were used.
  public static let doorTokensUsed = 65_536
  /// Callers on the session bus whose identity is remembered.
  public static let callersRemembered = 256
  /// Applications of which it is remembered why they were not registered.
  public static let refusalsRemembered = 64

  // MARK: The link
  /// Services whose addresses are asked for at once, and that wait for that.
  public static let resolvesAtOnce = 32
  public static let resolvesWaiting = 256
  /// From news of this machine's addresses to the look at them: what happens together, as when one network is left for
  /// another, is told once.
  public static let networkTime: UInt64 = 100

  // MARK: Files
  /// Symbolic links on the way to a declaration or a program, as in the kernel.
  public static let pathLinks = 40
  /// Bytes of another program's configuration that names shared folders: Syncthing's grows with its devices.
  public static let foreignConfigurationLength = 4 * 1024 * 1024
  /// Folders below folders that are looked into for desktop files, which are rarely more than one deep.
  public static let folderDepth = 8
  /// Desktop files, service files and manifests that one turn of the loop reads, so that others have theirs.
  public static let declarationsPerTurn = 64
  /// Threads that read the files of many applications at once.
  public static let readingThreads = 4
  /// Looks into file systems that may wait for their turn.
  public static let pendingLooks = 64
  /// Writes that wait for the disk.
  public static let pendingWrites = 64
  /// Bytes that are read of what /proc says of a process.
  public static let processFileLength = 64 * 1024
  /// Bytes of the first line of a script, which names its interpreter.
  public static let interpreterLine = 256

  // MARK: Associated domains
  /// Processes above the one that opens a link, among which its application is looked for.
  public static let processAncestors = 16

  // MARK: Phones
  /// Phones of one program, and objects of its that are looked at.
  public static let phones = 16
  public static let phoneObjects = 64
  /// How long such a program may take to answer, in milliseconds.
  public static let phoneTime: UInt64 = 2_000
}
