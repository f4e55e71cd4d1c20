import SegueCore

/// The actions that an engine wants carried out, in their order.
public enum Effect: Sendable {
  /// Write the journal of continuations to disk, before any action that a restarted daemon must know of (semantics X9).
  case record(ContinuationJournal)
  /// Send `Event.time` at this moment, in place of the moment that was named before; nil: do not send it.
  case wake(Instant?)
  case reply(RequestID, Reply)
  case send(LinkMessage, to: DeviceID)
  /// Fetch from the device. Answered by `fetchAnswered` or `fetchLost`, unless it is cancelled.
  case fetch(FetchID, FetchRequest, from: DeviceID)
  case cancelFetch(FetchID)
  /// Name the snapshot's files by their containers (semantics R8), answer the device's fetch with it, and end the
  /// channel.
  case answerFetch(ChannelID, FetchAnswer)
  /// Ask the application for the activity's state. Answered by `saved`, unless `endSave` comes first.
  case askSave(SaveID, Identifier, DoorSaveRequest, SessionID)
  case endSave(SaveID)
  /// Tell the application that its activity was continued. Answered by `heardContinued`.
  case tellContinued(SessionID, ContinuedNotice)
  /// Send the application the offers that it may continue. Answered by `heardOffers`.
  case tellOffers(SessionID, [ListedOffer])
  /// Send the launch message. A failure is reported as `launchFailed`; from a process at the door that runs on, it says
  /// that this process does not take the message.
  case launch(Launch)
  /// Wait for the files that the snapshot names, and replace their URLs by this device's paths.
  case localize(continuation: Identifier, Snapshot)
  case cancelLocalize(continuation: Identifier)
  case openBrowser(continuation: Identifier, WebURL)
  /// Send the request to the store. Answered by `stored`. Requests are carried out in their order.
  case store(StoreID, StoreRequest)
  case showNotice(Notices.Key, Notice)
  case closeNotice(Notices.Key)
  case stream(StreamEffect)
  case file(FileEffect)
  /// Find out in which shared folder the file of the activity lies. Answered by `foundFile`, for which its offer waits.
  case findFile(Identifier, FileURL)
  case pairing(PairingEffect)
  case discovery(DiscoveryEffect)
  /// Dial all devices that are not linked, and check whether the linked ones still answer.
  case redial
  /// Store how the device can be reached, on disk: the addresses that it sent, those at which it answered, and the rest
  /// of its contact data.
  case learn(DeviceID, Contact)
  /// Write down that the user has accepted the introduced device, dial it, and reply. With nil for the request, an
  /// error is reported as `notPinned`.
  case pin(RequestID?, PendingIntroduction)
  /// Fetch the association file of a domain that an application here claims. Answered by `association`.
  case fetchAssociation(DomainName)
  /// Store the record of a domain, or remove it.
  case keepAssociation(StoredAssociation)
  case forgetAssociation(DomainName)
  /// Open Segue's window with the text. A failure is reported as `textNotShown`.
  case showText(Identifier, activationToken: String?)
  case signal(Signal)
  case log(LogLevel, String, cause: String)

  /// Whether it is harmless if the daemon dies before the journal is written. A request to an application has no
  /// consequences without the effects that follow it, and the application works on it while this device writes. A fetch
  /// is none of these: the origin would save for a choice that nobody remembers.
  var mayPrecedeRecord: Bool {
    switch self {
    case .cancelFetch, .askSave, .closeNotice: true
    default: false
    }
  }

  /// A launch message. Its ticket is the only valid one of its continuation; earlier ones are void.
  public struct Launch: Equatable, Sendable {
    public var continuation: Identifier
    public var ticket: Identifier
    public var application: InstalledApplication
    public var type: ActivityType
    public var activationToken: String?
    /// False: the message goes to an application that runs already, and starts none.
    public var startsIt: Bool
    /// The process of the application that takes the message at the door; nil: it goes to the owner of the application's
    /// name on the session bus, which starts one where there is none.
    public var taker: Taker?

    /// A process that runs and is at the door.
    public struct Taker: Equatable, Sendable {
      public var session: SessionID
      /// The answer to its Begin, for which the application need not wait.
      public var begin: DoorBegin
    }
  }

  /// The result of a call.
  public enum Reply: Sendable {
    case done
    case failed(SegueError)
    /// The chosen continuation has succeeded, or has begun: whichever the caller waits for.
    case continuation(Identifier)
    case begun(DoorBegin)
    case claimed(Snapshot)
    /// The state that the application stored in an earlier run; nil: there is none.
    case state(StoredState?)
    /// The stream is open: the caller gets its pair.
    case stream(StreamID)
    /// The application that opens the link; nil: a browser has to open it.
    case link(AppID?)
    /// The file has arrived.
    case file(BroughtFile)
    /// The address of the page.
    case page(WebURL)
  }

  /// A signal to user interfaces. They then read the lists again.
  public enum Signal: Hashable, Sendable {
    case offersChanged
    case storedChanged
    case devicesChanged
    case pairingChanged
    case introductionsChanged
    case linksChanged
    case transfersChanged
    case continuationChanged(Identifier, ContinuationState)
  }

  public enum LogLevel: Sendable {
    /// A detail for a person who follows what happens.
    case debug
    /// An event that a person may want to know.
    case notice
    /// An error that somebody should look at.
    case warning
  }
}
