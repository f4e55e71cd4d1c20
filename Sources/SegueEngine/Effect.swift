import SegueCore

/// Everything that an engine wants done, in the order in which it is to be done.
public enum Effect: Sendable {
  /// Write the record of continuations down, before anything that comes after it is done (semantics X9).
  case record(ContinuationJournal)
  /// Send `Event.time` at this moment instead of the one that was named before; nil: at none.
  case wake(Instant?)
  case reply(RequestID, Reply)
  case send(LinkMessage, to: DeviceID)
  /// Fetch from the device; answered by `fetchAnswered` or `fetchLost`, unless it is cancelled.
  case fetch(FetchID, FetchRequest, from: DeviceID)
  case cancelFetch(FetchID)
  /// Answer a device's fetch, with the files in containers named (semantics R8), and end its channel.
  case answerFetch(ChannelID, FetchAnswer)
  /// Ask the application for the activity's state; answered by `saved`, unless it is ended before.
  case askSave(SaveID, Identifier, DoorSaveRequest, SessionID)
  case endSave(SaveID)
  /// Tell the application that its activity was continued; answered by `heardContinued`.
  case tellContinued(SessionID, ContinuationJournal.Notice)
  /// Tell the application what it may continue; answered by `heardOffers`.
  case tellOffers(SessionID, [ListedOffer])
  /// Send the launch message; what goes wrong comes back as `launchFailed`.
  case launch(Launch)
  /// Wait for the files that the snapshot names, and put this device's paths in their places.
  case localize(continuation: Identifier, Snapshot)
  case cancelLocalize(continuation: Identifier)
  case openBrowser(continuation: Identifier, WebURL)
  /// Answered by `stored`; requests are done in their order.
  case store(StoreID, StoreRequest)
  case showNotice(Notices.Key, Notice)
  case closeNotice(Notices.Key)
  case signal(Signal)
  case log(LogLevel, String, cause: String)

  /// A launch message, whose ticket is the only good one of its continuation.
  public struct Launch: Equatable, Sendable {
    public var continuation: Identifier
    public var ticket: Identifier
    public var application: InstalledApplication
    public var type: ActivityType
    public var activationToken: String?
    /// False: only an application that runs is meant; none is started.
    public var startsIt: Bool
  }

  /// What a caller is told.
  public enum Reply: Sendable {
    case done
    case failed(SegueError)
    /// The continuation that was chosen has ended well, or has begun, as its caller wanted.
    case continuation(Identifier)
    case begun(BeginInfo)
    case claimed(Snapshot)
  }

  /// What an application is told when it has shown a good ticket.
  public struct BeginInfo: Equatable, Sendable {
    public var continuation: Identifier
    public var type: ActivityType
    /// The activity's, or the application's name where it has none.
    public var title: String
    public var deviceName: String
    /// Milliseconds until the continuation fails at the latest.
    public var timeLeft: UInt64
    /// What will be had is a stored snapshot, and how old it is in milliseconds where that is known (semantics X7).
    public var isStored: Bool
    public var storedAge: UInt64?
  }

  /// What user interfaces are told; they then ask again.
  public enum Signal: Hashable, Sendable {
    case offersChanged
    case storedChanged
    case devicesChanged
    case continuationChanged(Identifier, ContinuationState)
  }

  public enum LogLevel: Sendable {
    /// For whoever follows what happens.
    case debug
    /// A person may want to know.
    case notice
    /// Something is wrong, and somebody should look.
    case warning
  }
}
