import SegueCore

extension Limits {
  // MARK: Activities
  /// Activities that one application may have at the daemon.
  public static let activitiesPerApplication = 16
  /// How far two announcements may differ in the same expiry, since each took its own time on the way.
  public static let expiryTolerance: UInt64 = 2_000
  /// Stored copies of one application's activities, of one device's.
  public static let storedCopiesPerApplication = 256
  /// Requests of one application for the states of its own return that wait (C17).
  public static let stateReads = 16
  /// Requests to the store that wait for its disk.
  public static let pendingStoreRequests = 256
  /// Requests to the store that one other device causes, and the requests that are reserved for this device's user and
  /// applications.
  public static let storeRequestsPerDevice = 64
  public static let storeRequestsKept = 64
  /// Continued offers that a device remembers, to hide them until they change (V15).
  public static let continuedOffers = 256

  // MARK: Declarations of a former start
  /// Files in the cache of declarations, and its bytes.
  public static let cachedDeclarations = 20_000
  public static let declarationCacheLength = 16 * 1024 * 1024

  // MARK: Times, in milliseconds
  /// How long before it is read a file must have changed last, so that a later change shows in its times. File systems
  /// count them in steps of up to two seconds.
  public static let settlingTime: UInt64 = 2_000
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
  /// How old a failure may be that is shown when a notification server appears.
  public static let noticeFailureTime: UInt64 = 60_000
  /// Announcements of offers to one device that may follow each other at once.
  public static let announceBurst: UInt64 = 10
  /// The longest time that group [Limits] of segue.conf may set: an hour, which is more than anybody waits.
  public static let settableTime: UInt64 = 3_600_000

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

  // MARK: Sending
  /// Proposals of one device that are taken in a minute; later ones are refused, and the user here is not disturbed.
  public static let proposalsPerMinute = 6
  /// Proposals to one device that wait for its answer, and how long each waits.
  public static let proposalsWaiting = 8
  public static let proposalTime: UInt64 = 5_000
  /// Texts of one device that are kept, the latest, and how long each is.
  public static let textsPerDevice = 8
  public static let textTime: UInt64 = 3_600_000

  // MARK: Surfaces of the desktop
  /// What one search finds, and a panel shows.
  public static let searchResults = 32
  /// Words of one search, and the length of each of its texts.
  public static let searchWords = 32
  public static let searchBytes = 1_024
  /// Searches that one process may make at once, and the time that makes up for one.
  public static let searchBurst: UInt64 = 64
  public static let searchInterval: UInt64 = 20

  // MARK: Continuations
  /// Callers that wait for the outcome of one continuation.
  public static let callersPerContinuation = 16
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
  /// Times that one device may tell of what it was not given, in `unsolicitedTime`: more than an honest one has to tell.
  public static let unsolicitedNotices = 128
  public static let unsolicitedTime: UInt64 = 1_000
  /// Changes of the journal that one device causes and that are written down at once; later ones each `recordInterval`.
  public static let recordBurst: UInt64 = 64
  public static let recordInterval: UInt64 = 250
  /// How long a restarted daemon waits for applications to come back before it says that it lacks what is asked for.
  public static let returnTime: UInt64 = 5_000

  // MARK: Sharing
  /// Networks in which the user shares nothing, applications that the user withholds, and devices to which nothing is
  /// announced.
  public static let pausedNetworks = 64
  public static let withheldApplications = 256
  public static let withheldDevices = 256
  /// The longest pause with an end: 30 days.
  public static let pauseTime: UInt64 = 2_592_000_000

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

  // MARK: Files that are brought
  /// Files that are brought from one other device, or to it, and in all, at once. Each takes a descriptor, and a thread
  /// while a disk has work.
  public static let filesPerDevice = 4
  public static let files = 16
  /// Files that one application was asked to open and has not: in all, and by requests of one device.
  public static let filesUnanswered = 16
  public static let filesUnansweredPerDevice = 8
  /// How long a lost link is waited for, and the time between two tries.
  public static let fileLinkTime: UInt64 = 120_000
  public static let fileRetryTime: UInt64 = 1_000
  /// How long a file may make no progress while there is a link.
  public static let fileSilenceTime: UInt64 = 120_000

  // MARK: The daemon's callers
  /// Those of one process, and of one group of processes: an application's unit, or what one process has started.
  public static let doorConnectionsPerProcess = 8
  public static let doorConnectionsPerGroup = 32
  /// Connections at the private door that are for applications that register, and for nobody else.
  public static let doorConnectionsKept = 16

  // MARK: The link
  /// Letters of a pairing code that a QR code of 41 by 41 dots holds (ISO/IEC 18004, version 6, level L).
  public static let pairingPictureLength = 195
  /// Characters of a copied code.
  public static let pairingCodeLength = 1024
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
  /// Services that are found at one address: the users of one machine each have one.
  public static let foundPerAddress = 8
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
  /// Devices that were introduced here and wait for the user's word: by one introducer, and in all; and for how long.
  public static let introductionsPerDevice = 32
  public static let introductions = 64
  public static let introductionTime: UInt64 = 3_600_000
  /// How long after the daemon's start lists and choices wait for the first dials: longer than one that nobody answers.
  public static let firstDialsTime: UInt64 = 3_000

  // MARK: Files
  /// Elements of a path below a shared folder: each may have to be watched.
  public static let pathDepth = 64
  /// Folders that this device may share with others.
  public static let containers = 256

  // MARK: Associated domains
  /// Domains that one application may claim, and of how many this device has the association files.
  public static let domainsPerApplication = 32
  public static let domains = 1024
  /// Association files that are fetched at once.
  public static let associationFetches = 2
  /// From one fetch of a domain's file to the next; up to a tenth of it is added by chance.
  public static let associationInterval: UInt64 = 86_400_000
  /// From a fetch that failed to the next, at first; each later one takes twice as long, up to the interval.
  public static let associationRetryTime: UInt64 = 300_000
  /// How long a file counts whose domain cannot be reached any more: 7 days.
  public static let associationLife: UInt64 = 604_800_000
  /// Links that applications are being launched for at once; a browser opens what is more.
  public static let linksOpened = 16
}
