/// Every bound of Segue, in one place. `docs/limits.md` says what happens past each; sources are in the comments.
public enum Limits {
  // MARK: Activities
  /// Bytes of an encoded userInfo above which one warning per type is logged (Apple advises 3 KB).
  public static let userInfoAdvised = 3 * 1024
  /// Bytes of an encoded userInfo above which a snapshot is refused with HandoffUserInfoTooLarge.
  public static let userInfoMaximum = 100 * 1024
  /// Bytes of an encoded userInfo above which it crosses a bus in a sealed memfd instead of an array.
  public static let userInfoInline = 64 * 1024
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
  /// Programs that an application says to act for.
  public static let actsFor = 8
  /// Bytes of a web page's URL.
  public static let urlMaximum = 2048
  /// Bytes of an activity type, an application id or a bus name (D-Bus specification).
  public static let nameLength = 255
  /// Activities that one application may have at the daemon.
  public static let activitiesPerApplication = 16
  /// Activity types that one application may declare.
  public static let typesPerApplication = 256
  /// Teams that a device remembers, keys that one after the other may be a team's, and bytes of a team's id.
  public static let teams = 256
  public static let teamKeys = 16
  public static let teamLength = 128
  /// Keywords of one activity, of `keyLength` bytes each.
  public static let keywords = 64
  /// Keys that one activity may name as required.
  public static let requiredKeys = dictionaryEntries
  /// Persistent identifiers in one call that deletes stored copies.
  public static let deletedIdentifiers = 256
  /// Files in containers that one snapshot names.
  public static let filesPerSnapshot = 64
  /// Bytes of all that a snapshot says of these files, so that the head of a fetch's answer has room for it.
  public static let filesLength = 48 * 1024
  /// Responders in one chain that are looked at, from the focused one on.
  public static let responderChain = 256
  /// Responders that go with one document.
  public static let documentResponders = 256
  /// Open documents whose files are followed where other programs rename or move them. Each takes a descriptor.
  public static let followedDocuments = 256
  /// Folders above such a file that are watched, from the nearest one up.
  public static let followedFolders = 32
  /// How long after something has happened to such a file its name is looked up, in milliseconds: who saves may move it
  /// away first, and make it anew.
  public static let documentMoveTime: UInt64 = 500
  /// Objects that one restoration handler takes.
  public static let restorables = 4096
  /// Bytes that a caller's struct may say that it has: this version's, and room for what later ones add.
  public static let structLength = 4096
  /// Offers that one device may make. As many of its former ones can still be chosen.
  public static let offersPerDevice = 32
  /// How far two announcements may differ in the same expiry, since each took its own time on the way.
  public static let expiryTolerance: UInt64 = 2_000
  /// Offers that one application is told of.
  public static let offersPerApplication = 64
  /// Stored copies of one application's activities, of one device's.
  public static let storedCopiesPerApplication = 256
  /// Stored copies in all, and the bytes that they take.
  public static let storedCopies = 2048
  public static let storedBytes = 32 * 1024 * 1024
  /// The store's file, whatever the copies say that they take.
  public static let storeFileBytes = 128 * 1024 * 1024
  /// Requests to the store that wait for its disk.
  public static let pendingStoreRequests = 256
  /// Those of one other device's doing; and those that are for this device's user and applications alone.
  public static let storeRequestsPerDevice = 64
  public static let storeRequestsKept = 64

  /// Continued offers that a device remembers, to hide them until they change (V15).
  public static let continuedOffers = 256

  // MARK: Times, in milliseconds
  /// An application's time to answer a save (S6).
  public static let saveTime: UInt64 = 8_000
  /// The time in an application's callbacks for one save, above which its developer is told.
  public static let saveAdvised: UInt64 = 1_000
  /// A continuation's time to fetch the payload from the other device.
  public static let fetchTime: UInt64 = 10_000
  /// A continuation's time to wait for a file to arrive in a container (R8).
  public static let containerTime: UInt64 = 30_000
  /// The time between two looks for such a file, where the file system does not tell of its arrival.
  public static let containerLookTime: UInt64 = 1_000
  /// How long the origin looks for the containers of a userInfo's files, should a file system not answer.
  public static let containerNameTime: UInt64 = 2_000
  /// An application's time from the launch message to its claim (V8).
  public static let launchTime: UInt64 = 25_000
  /// How long a launch message waits for an application that is not ready before its developer is told.
  public static let readyTime: UInt64 = 3_000
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
  /// How late the end of that time may be seen; later, the machine has slept, and the time begins anew.
  public static let lateTime: UInt64 = 1_000
  /// How long an offer can still be taken by id after resign or a clean exit (V14).
  public static let graceTime: UInt64 = 5_000
  /// A stored copy's life, where its activity does not expire before (C7): 30 days.
  public static let storedCopyTime: UInt64 = 2_592_000_000
  /// The shortest time between two saves of one activity for a stored copy (X7).
  public static let snapshotInterval: UInt64 = 10_000
  /// The shortest time between two fetches of one activity of another device for keeping (X7).
  public static let keepInterval: UInt64 = 30_000
  /// Fetches for keeping that begin in one such interval, of one device: all that it may have on offer.
  public static let keepFetches = 32
  /// Bytes that are fetched of one device for keeping, in `keepTime`.
  public static let keepBytes = 32 * 1024 * 1024
  public static let keepTime: UInt64 = 3_600_000
  /// The time after which the store is asked again to remove what has expired, where it could not.
  public static let storeRetryTime: UInt64 = 60_000
  /// How long the store stays open without being used.
  public static let storeIdleTime: UInt64 = 10_000
  /// How long a daemon that ends waits until everything is stored that it was asked to store.
  public static let storeFarewellTime: UInt64 = 2_000
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
  /// How long a daemon waits for another one that ends, and has its folder until then.
  public static let lockTime: UInt64 = 1_000
  /// How old a failure may be that is shown when a notification server appears.
  public static let noticeFailureTime: UInt64 = 60_000
  /// How long a daemon that cannot start says so to those who have it started.
  public static let startFailureTime: UInt64 = 1_000
  /// What is still queued for a connection may take so long to leave when it is closed.
  public static let farewellTime: UInt64 = 200
  /// The shortest time between two announcements of offers to one device, after a burst.
  public static let announceInterval: UInt64 = 250
  /// Announcements of offers to one device that may follow each other at once.
  public static let announceBurst: UInt64 = 10
  /// The shortest time between two of one device's messages that something was continued, or that it has heard so, after
  /// a burst.
  public static let continuedInterval: UInt64 = 1
  /// Such messages of one device that may follow each other at once.
  public static let continuedBurst: UInt64 = 128
  /// The shortest time between two channels that one device opens, after a burst.
  public static let openInterval: UInt64 = 50
  /// Channels that one device may open at once: twice as many as it may have.
  public static let openBurst: UInt64 = 64

  /// The command line's wait for the end of a continuation: longer than any takes.
  public static let continueTime: UInt64 = fetchTime + ticketTime + finishTime + 5_000
  /// The longest time that group [Limits] of segue.conf may set: an hour, which is more than anybody waits.
  public static let settableTime: UInt64 = 3_600_000
  /// What is left of an activity's life is counted up to this, 100 years: no application runs for longer.
  public static let lifeTime: UInt64 = 3_155_760_000_000
  /// A browser's program that is still there after so long has opened the page.
  public static let browserTime: UInt64 = 1_000
  /// The time to choose in the desktop's portal by which program a page is opened.
  public static let portalTime: UInt64 = 60_000

  // MARK: Notifications
  /// Offers of one device, and devices that it introduces, that are shown in a minute.
  public static let noticesPerMinute = 10
  /// Offers of one device whose dismissal is remembered after they have gone.
  public static let noticesRemembered = 64
  /// Notices of continuations that are kept for a server to come.
  public static let noticesWaiting = 8
  /// The time between two attempts to start a server that does not run: at first, and at most.
  public static let noticeStartTime: UInt64 = 10_000
  public static let noticeStartTimeMaximum: UInt64 = 600_000

  // MARK: Continuations
  /// Callers that wait for the outcome of one continuation.
  public static let callersPerContinuation = 16
  /// Choices of one application, made in its own window, that have not begun.
  public static let choicesPerApplication = 16
  /// Launch messages of one application that are not answered: it is not ready, or the daemon's name has no owner yet.
  public static let deliveriesWaiting = 16
  /// Ended continuations that an application remembers for a daemon that has lost the news (X9).
  public static let deliveriesRemembered = 16
  /// Failures that are remembered, for claims that were on their way when their continuation failed.
  public static let failuresRemembered = 16
  /// Saves of one activity that an application is asked for at once by fetches of one other device.
  public static let savesPerDevice = 2
  /// Continuations that a restarted daemon takes up.
  public static let continuationsRecorded = 16
  /// Continuations of which the origin's device is still to be told (X9).
  public static let continuationsUntold = 64
  /// States of this device's activities that one device was given and may tell of, or has told of (attack 17).
  public static let continuationsGiven = 64
  /// Continuations that a device may tell of for one revision of what it keeps (X7).
  public static let continuationsOfKept = 16
  /// Continuations that an application remembers, so as to be told once (V11).
  public static let continuationsRemembered = 128
  /// Times that one device may tell of what it was not given, in `strayTime`: more than an honest one has to tell.
  public static let strayNotices = 128
  public static let strayTime: UInt64 = 1_000
  /// Changes of the journal that one device causes and that are written down at once; later ones each `recordInterval`.
  public static let recordBurst: UInt64 = 64
  public static let recordInterval: UInt64 = 250
  /// How long a restarted daemon waits for applications to come back before it says that it lacks what is asked for.
  public static let returnTime: UInt64 = 5_000

  // MARK: Streams
  /// Streams of one continuation, and of one other device or two applications of this one, that are open at once.
  public static let streamsPerContinuation = 4
  public static let streamsPerDevice = 16
  /// All streams of this device. Each takes two descriptors.
  public static let streams = 64
  /// Continuations by which one application can ask for streams, and activities of one for which others can.
  public static let streamContinuations = 16
  /// Streams that one application was brought and has not answered: in all, and by requests of one device.
  public static let streamsUnanswered = 16
  public static let streamsUnansweredPerDevice = 8
  /// Until the first byte of a stream to another device.
  public static let streamIdleTime: UInt64 = 60_000
  /// Bytes of one stream that wait here to be sent.
  public static let streamBytes = 512 * 1024
  /// Bytes that wait in the kernel between an application and the daemon, or another application, one way.
  public static let streamPipeBytes = 256 * 1024
  /// Streams of which an application remembers how they ended.
  public static let streamsRemembered = 256

  // MARK: Files that are brought
  /// Files that are brought from one other device, or to it, and in all, at once. Each takes a descriptor, and a thread
  /// while a disk has work.
  public static let filesPerDevice = 4
  public static let files = 16
  /// Files that one application has asked for and has not got.
  public static let filesPerApplication = 64
  /// Files that one application was asked to open and has not: in all, and by requests of one device.
  public static let filesUnanswered = 16
  public static let filesUnansweredPerDevice = 8
  /// Bytes of what says which version of a file it is.
  public static let fileVersionLength = 64
  /// Bytes of a file that are read at once.
  public static let filePiece = 128 * 1024
  /// How long a lost link is waited for, and the time between two tries.
  public static let fileLinkTime: UInt64 = 120_000
  public static let fileRetryTime: UInt64 = 1_000
  /// How long a file may make no progress while there is a link.
  public static let fileSilenceTime: UInt64 = 120_000
  /// How often a byte shows that a file is still being read once more.
  public static let fileSignTime: UInt64 = 30_000
  /// How often a file is begun anew because it has changed.
  public static let fileRestarts = 3
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
  /// Calls that one connection may have pending.
  public static let pendingCalls = 64
  /// Connections at the private door, and tokens for it.
  public static let doorConnections = 128
  /// Those of one process, and of one group of processes: an application's unit, or what one process has started.
  public static let doorConnectionsPerProcess = 8
  public static let doorConnectionsPerGroup = 32
  /// Connections at the private door that are for applications that register, and for nobody else.
  public static let doorConnectionsKept = 16
  /// Connections at the private door that are told why there is no room for them.
  public static let doorRefusals = 8
  /// Bytes of one message at the private door: before its sender has said Hello, and after. What is larger goes in a sealed
  /// memfd.
  public static let doorMessageBeforeHello = 4 * 1024
  public static let doorMessageLength = 256 * 1024
  /// Bytes of what Flatpak calls one run of an application.
  public static let instanceLength = 64
  /// The life of a token for the private door.
  public static let doorTokenTime: UInt64 = 30_000
  /// Callers on the session bus whose identity is remembered.
  public static let callersRemembered = 256
  /// Applications of which it is remembered why they were not registered.
  public static let refusalsRemembered = 64
  /// Bytes that may be queued for one connection.
  public static let queuedBytes = 1024 * 1024
  /// Bytes at the private door that a caller may leave untaken before its next call waits, and behind which no more is
  /// read of it. libdbus counts what is sent of a message, which is a fraction of what it takes to keep one: that is
  /// some 400 bytes for 24.
  public static let untakenBytes = 16 * 1024
  /// How long such a call waits before its caller is let go.
  public static let untakenTime: UInt64 = callTime
  /// Descriptors in one bus message.
  public static let descriptorsPerMessage = 4
  /// Containers inside containers in a bus message.
  public static let messageDepth = valueDepth
  /// Values in one bus message, containers and keys included; the bytes of an `ay` count as one. Messages that may wait
  /// for a connection's authentication, too.
  public static let messageValues = 65_536
  /// Bytes in one bus message that is made here. Far below the 128 MiB at which the other side hangs up.
  public static let messageLength = 32 * 1024 * 1024
  /// Bytes of received messages that may be alive on one connection before no more are read from it. This only holds
  /// the sender back. The size of one message is limited at the door alone: libdbus hangs up on a larger one, and a bus
  /// that was lost for it would be lost for everybody.
  public static let receivedBytes = 4 * 1024 * 1024
  /// Descriptors of received messages that may be alive on one connection before no more are read from it.
  public static let receivedDescriptors = 64
  /// Messages that one connection hands out in one turn of the loop, so that others have theirs.
  public static let messagesPerTurn = 64
  /// Ready descriptors that one turn of the loop looks at; the others stay ready.
  public static let descriptorsPerTurn = 64

  // MARK: The link
  /// Bytes of one frame's payload.
  public static let frameLength = 64 * 1024
  /// Bytes of the head that answers a request for a stream or a file.
  public static let streamHeadLength = 4 * 1024
  /// Bytes of one frame's payload before "welcome".
  public static let frameLengthBeforeWelcome = 8 * 1024
  /// A stranger's time to finish TLS, and again to its first valid frame.
  public static let handshakeTime: UInt64 = 5_000
  /// How long a device that was added here may take to add this one before the log says that it does not, in
  /// milliseconds.
  public static let newcomerTime: UInt64 = 600_000
  /// How long one secret signs the nonces of throw-away certificates, how often nonces of one secret, or one that was
  /// published, are good, and for how many devices a proof has a token.
  public static let nonceTime: UInt64 = 3_600_000
  public static let nonceUses = 1_024
  public static let proofTokens = 12
  /// How long a device can be paired after its user said so, and how long a copied code is good.
  public static let pairingWindowTime: UInt64 = 120_000
  /// Letters of a pairing code that a QR code of 41 by 41 dots holds (ISO/IEC 18004, version 6, level L).
  public static let pairingPictureLength = 195
  /// The pause before a device is dialled again that does not pair yet.
  public static let pairRetryTime: UInt64 = 2_000
  public static let pairingCodeTime: UInt64 = 300_000
  /// Characters of a copied code.
  public static let pairingCodeLength = 1024
  /// Connections of devices that pair, between which one is chosen; and those that are held until it is said which go.
  public static let pairingConnections = 8
  public static let pairingConnectionsHeld = 16
  /// How long a device that pairs may take for an answer that needs nobody's hand.
  public static let pairingAnswerTime: UInt64 = 10_000
  /// Pairings by digits that end undecided before nobody can pair by digits; for how long at first, and at most, as that
  /// doubles each time; and how long none must come until all is forgotten.
  public static let pairingFailures = 3
  public static let pairingPause: UInt64 = 60_000
  public static let pairingPauseMaximum: UInt64 = 3_600_000
  public static let pairingMemory: UInt64 = 86_400_000
  /// Services of other devices that are remembered while they are announced.
  public static let foundServices = 256
  /// Those at one address: of the users of one machine.
  public static let foundPerAddress = 8
  /// Services whose addresses are asked for at once, and that wait for that.
  public static let resolvesAtOnce = 32
  public static let resolvesWaiting = 256
  /// Strings of a service's record that are looked at.
  public static let serviceTextStrings = 16
  /// The lowest port that is dialled because another device, a code or the network says so: a lower one is a system's.
  public static let lowestPort = 1024
  /// Found services that are dialled at once; the time between two dials of the same one, at first and at most.
  public static let probesAtOnce = 2
  public static let probeTime: UInt64 = 1_000
  public static let probeTimeMaximum: UInt64 = 300_000
  /// How long this device is announced under one name.
  public static let announcementTime: UInt64 = 3_600_000
  /// From a collision of names to the next try, at first and at most.
  public static let collisionTime: UInt64 = 1_000
  public static let collisionTimeMaximum: UInt64 = 60_000
  /// Interfaces on which this device is announced, and addresses of each.
  public static let interfaces = 16
  public static let interfaceAddresses = 8
  /// Unauthenticated connections: from one source, and in all.
  public static let strangersPerSource = 4
  public static let strangers = 32
  /// Sources of failed connections that are remembered, failures before such a source's penalty, and how long it is
  /// limited to one connection then.
  public static let strangerSources = 256
  public static let strangerFailures = 5
  public static let penaltyTime: UInt64 = 60_000
  /// Logins of one peer: so many at once, then one in this time.
  public static let loginBurst: UInt64 = 10
  public static let loginInterval: UInt64 = 6_000
  /// Connections of one peer that have proved its key and are not up: its link may be dead, and have been dialled anew.
  public static let linksPerPeer = 2
  /// Connections that are over, and whose sockets wait for the other side's goodbye.
  public static let closingConnections = 16
  /// Connections that a listener takes in one turn of the loop, and strangers that are served in it.
  public static let acceptsPerTurn = 4
  public static let strangersPerTurn = 1
  /// Bytes of one device that one turn of the loop takes.
  public static let linkBytesPerTurn = 256 * 1024
  /// What a frame without credit counts for besides its bytes, and one of data at least with them.
  public static let freeFrameToll = 4 * 1024
  public static let dataFrameToll = 1024
  /// What TLS may add to each frame, and to so many bytes that it carries: 22 bytes are added to each record, and one of
  /// 16 KiB is the longest. What each byte beyond it counts for.
  public static let sealingPerFrame = 32
  public static let sealingPart = 512
  public static let sealingToll = 128
  /// How long a record of TLS is at most, with its head (RFC 8446, 5.2).
  public static let sealedRecordLength = 5 + 16 * 1024 + 256
  /// How much of that may come of a device at once, and in each millisecond later, before it is not read for a while.
  public static let tollAtOnce = 16 * 1024 * 1024
  public static let tollPerMillisecond = 64 * 1024
  /// Names of hosts that the system is asked for at once.
  public static let nameLookups = 8
  /// How long a listener rests when the process has no descriptor left.
  public static let acceptPause: UInt64 = 200
  /// From news of this machine's addresses to the look at them: what happens together, as when one network is left for
  /// another, is told once.
  public static let networkTime: UInt64 = 100
  /// Addresses of one device: that its user gave, and again that it told itself.
  public static let deviceAddresses = 8
  /// How often it is written down where one device can be dialled: so often at once, then once in this time.
  public static let learnBurst: UInt64 = 8
  public static let learnInterval: UInt64 = 30_000
  /// Devices that were introduced here and wait for the user's word: by one introducer, and in all; and for how long.
  public static let introductionsPerDevice = 32
  public static let introductions = 64
  public static let introductionTime: UInt64 = 3_600_000
  /// Removed devices that are remembered.
  public static let removedDevices = 256
  /// Paired devices.
  public static let devices = 32
  /// Bytes that one channel's receiver lets the sender be ahead, at first, and at most, where its owner keeps up.
  public static let channelWindow = 256 * 1024
  public static let channelWindowMost = 1024 * 1024
  /// Bytes that a peer may let us be ahead, however much it grants.
  public static let channelCredit = 1 << 30
  /// Answers that may wait while the peer does not read; a peer that asks and never reads ends there.
  public static let channelAnswers = 256
  /// Channels that one peer may have open.
  public static let channelsPerPeer = 32
  /// Time without a sign of life after which an idle side gives one, and after which a peer is lost (X10: 6 s).
  public static let beatTime: UInt64 = 5_000
  public static let silenceTime: UInt64 = 5_900
  /// After something was sent and nothing was heard, a ping follows, and the peer is lost where nothing follows that. Of
  /// both together X10 says the same.
  public static let pingTime: UInt64 = 3_000
  public static let pongTime: UInt64 = 2_500
  /// How long after the daemon's start lists and choices wait for the first dials: longer than one that nobody answers.
  public static let firstDialsTime: UInt64 = 3_000
  /// Dials of one paired device that are under way at once.
  public static let dialsAtOnce = 2
  /// Time between two dials of a paired device: at first, and at most.
  public static let dialTime: UInt64 = 1_000
  public static let dialTimeMaximum: UInt64 = 30_000
  /// A link that lasted so long is dialled anew at once when it ends; a shorter one is as a dial that failed.
  public static let lastingTime: UInt64 = 10_000
  /// How long after a loss dials stay `dialTime` apart (X10).
  public static let eagerTime: UInt64 = 60_000
  /// A dial's time until TCP is connected. Below two dial times, so that each second sends a new SYN into a network
  /// that may just have come back, while at most two dials are under way.
  public static let connectTime: UInt64 = dialTime * 2 - 100
  /// How long the device that chooses waits for a sign of life of the link it has, when the peer dials again.
  public static let duplicateTime: UInt64 = 1_000

  // MARK: Files
  /// Bytes of a desktop file, a service file, a configuration or a state file.
  public static let fileLength = 256 * 1024
  /// Bytes of a file's path, and of one element of it (PATH_MAX and NAME_MAX, without the NUL).
  public static let pathLength = 4095
  public static let fileNameLength = 255
  /// Symbolic links on the way to a declaration or a program, as in the kernel.
  public static let pathLinks = 40
  /// Elements of a path below a shared folder: each may have to be watched.
  public static let pathDepth = 64
  /// Bytes of another program's configuration that names shared folders: Syncthing's grows with its devices.
  public static let foreignConfigurationLength = 4 * 1024 * 1024
  /// Folders below folders that are looked into for desktop files, which are rarely more than one deep.
  public static let folderDepth = 8
  /// Desktop files, service files and manifests that one turn of the loop reads, so that others have theirs.
  public static let declarationsPerTurn = 64
  /// Folders of data that the environment may name.
  public static let dataFolders = 64
  /// Bytes of a script that starts a browser, in which that is looked for.
  public static let launcherLength = 64 * 1024
  /// Desktop files that are looked into for a browser, where no list names one.
  public static let desktopFilesSearched = 1_024
  /// Folders of configuration, desktops, browsers and languages that the environment may name, of each.
  public static let environmentItems = 16
  /// Folders that this device may share with others.
  public static let containers = 256
  /// Looks into file systems that may wait for their turn.
  public static let pendingLooks = 64
  /// Writes that wait for the disk.
  public static let pendingWrites = 64
  /// Lines that one cause may log in a minute.
  public static let logLinesPerMinute = 10
  /// Causes of lines that are counted at once; some are a device's own.
  public static let logCauses = 2048
  /// Bytes of one sentence in a log or on a terminal.
  public static let sentenceLength = 1024
  /// Bytes of another side's words that are quoted in such a sentence.
  public static let quotedLength = 256
  /// Bytes of a name or a word of a file's, a caller's or a plugin's in such a sentence.
  public static let shownName = 128
  /// Bytes of a path in it.
  public static let shownPath = 512
  /// Bytes that are read of what /proc says of a process.
  public static let processFileLength = 64 * 1024
  /// Bytes of the first line of a script, which names its interpreter.
  public static let interpreterLine = 256
  /// Lines for its developer that wait for an application's next dispatch.
  public static let logLines = 256

  // MARK: Associated domains
  /// Bytes of a host's name (RFC 1035, in the form that is written).
  public static let domainLength = 253
  /// Domains that one application may claim, and of how many this device has the association files.
  public static let domainsPerApplication = 32
  public static let domains = 1024
  /// Bytes of an association file, after decompression (Apple), and of a signed one with its certificates.
  public static let associationLength = 128 * 1024
  public static let signedAssociationLength = 256 * 1024
  /// Containers inside containers in an association file, and its values, keys included.
  public static let associationDepth = 16
  public static let associationValues = 32_768
  /// Applications that one association file may name for continuing, and as many for links; and pairs of an application
  /// and a pattern.
  public static let associationApplications = 1024
  public static let associationPatterns = 16_384
  /// Steps of all patterns of an association file, once their variables stand for what they mean.
  public static let patternSteps = 65_536
  /// How long a fetch may take until the server is connected, and in all.
  public static let associationConnectTime: UInt64 = 5_000
  public static let associationTime: UInt64 = 10_000
  /// Association files that are fetched at once.
  public static let associationFetches = 2
  /// From one fetch of a domain's file to the next; up to a tenth of it is added by chance.
  public static let associationInterval: UInt64 = 86_400_000
  /// From a fetch that failed to the next, at first; each later one takes twice as long, up to the interval.
  public static let associationRetryTime: UInt64 = 300_000
  /// How long a file counts whose domain cannot be reached any more: 7 days.
  public static let associationLife: UInt64 = 604_800_000
  /// Processes above the one that opens a link, among which its application is looked for.
  public static let processAncestors = 16
  /// Links that applications are being launched for at once; a browser opens what is more.
  public static let linksOpened = 16
  /// Bytes of the reason why a domain's file grants nothing.
  public static let associationReason = 512

  // MARK: Plugins
  /// Plugins that one application may load.
  public static let plugins = 64
  /// Kinds of objects in one plugin, and bytes of such a kind's id.
  public static let pluginObjects = 64
  public static let pluginObjectIDLength = 64
  /// Properties of one object; it may share userInfo with others.
  public static let pluginProperties = 128
  /// Parameters of one function of a plugin, besides the object.
  public static let pluginParameters = 16
  /// Elements of an array that a plugin gives or gets.
  public static let pluginElements = valueNodes
  /// Objects of plugins that one application may have at once.
  public static let pluginInstances = 4096
  /// Symbolic links on the way to a plugin's folder, as in the kernel.
  public static let pluginLinks = 40
  /// Functions that one object's closures may make.
  public static let pluginClosures = 64
  /// The time that `segue plugin check` gives a plugin, in milliseconds, and the bytes that it reads of what was found.
  public static let pluginCheckTime: UInt64 = 10_000
  public static let pluginReportLength = fileLength
  /// Bytes of one line of that: more than the longest finding.
  public static let pluginReportLine = 8 * 1024

  // MARK: segue-shell
  /// Bytes of one frame between a viewer and a session.
  public static let shellFrameLength = 64 * 1024
  /// Bytes of output that wait for a viewer.
  public static let shellBacklog = 1024 * 1024
  /// Bytes of input that wait for a program that reads none, or for a session's first word.
  public static let shellInput = 64 * 1024
  /// Who looks at one session at once; and who has connected to it and not said who it is.
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
  /// A viewer's time to say who it is, and to take what a session says last; in milliseconds.
  public static let shellHelloTime: UInt64 = 10_000
  /// How long nothing may come behind an escape key of the viewer for it to count as typed, and not as pasted text.
  public static let shellPasteTime: UInt64 = 50
  /// How long a connection holds before its loss counts as the first one, after which it is tried again soon.
  public static let shellHeldTime: UInt64 = 10_000
  /// The time of a session to say what it is.
  public static let shellAskTime: UInt64 = 2_000
  /// The time of a terminal's program to start a viewer, of another device to offer what is looked at, and of a service
  /// without work to its end.
  public static let shellLaunchTime: UInt64 = 15_000

  // MARK: segue-browser
  /// Bytes of one message from the browser, and levels of what is inside of what in it.
  public static let browserMessage = 64 * 1024
  public static let browserNesting = 8
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
