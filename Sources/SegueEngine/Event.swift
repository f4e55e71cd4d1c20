import SegueCore

/// A connection at the door; never used twice.
public typealias SessionID = UInt64
/// A call that waits for its reply; the daemon (or the simulator) numbers them.
public typealias RequestID = UInt64
/// A fetch from another device; the engine numbers them.
public typealias FetchID = UInt64
/// A request to an application for its state; the engine numbers them.
public typealias SaveID = UInt64
/// A continuation stream that an application here has or is to get; the engine numbers them.
public typealias StreamID = UInt64
/// A file that is brought here or from here; the engine numbers them.
public typealias FileID = UInt64
/// A request to the store; the engine numbers them.
public typealias StoreID = UInt64

/// The events that an engine handles.
public enum Event: Sendable {
  /// The time that `Effect.wake` named has come.
  case time
  /// The copies in the store. Reported at the start, with the copies of earlier runs; and later, with none, if the
  /// store's file turned out to be damaged.
  case loaded([StoredCopy])
  /// Applications can be launched from now on, so that the continuations of an earlier daemon go on (semantics X9).
  case canLaunch
  /// The applications that are installed.
  case applications(ApplicationIndex)
  /// The other rules that decide which application may continue which offer.
  case rules(MatchRules)
  /// The domain records of an earlier daemon; reported before `applications`.
  case associations([StoredAssociation])
  /// The answer to `Effect.fetchAssociation`.
  case association(DomainName, AssociationAnswer)
  /// All paired devices, in the user's order, with the names that the user gave them.
  case paired([PairedName])
  /// The contact data of a device (`Effect.learn`) is written down and appears in lists.
  case learned(DeviceID)
  case link(LinkEvent)
  case door(SessionID, DoorEvent)
  case control(RequestID, ControlCall)
  /// The addresses at which this device can be dialled, which it sends to its paired devices, and the machine's
  /// addresses. Reported at the start, and again after a change.
  case addresses([LinkAddress], machine: Set<IPAddress>)
  /// The machine has slept.
  case woke
  /// The user's choices about what is shared. Reported before any link is up, and after each change.
  case sharing(SharingChoices)
  /// The network in which this machine is, if a choice depends on it.
  case network(PresentNetwork)
  case stream(StreamEvent)
  case file(FileEvent)
  /// The ids of the folders that this device shares with others. Reported at the start, and again after a change.
  case folders([String])
  /// The answer to `Effect.findFile`.
  case foundFile(Identifier, FileURL, FoundPlace)
  case pairing(PairingEvent)
  case discovery(DiscoveryEvent)
  /// The answer to `Effect.store`.
  case stored(StoreID, Result<StoreAnswer, SegueError>)
  /// The launch message with this ticket could not be delivered. `ownerGone`: the bus name had an owner, which left the
  /// bus before it answered.
  case launchFailed(ticket: Identifier, SegueError, ownerGone: Bool)
  /// The files that a snapshot names have arrived, and its URLs are now this device's; or the error (semantics R8).
  case localized(continuation: Identifier, Result<Snapshot, SegueError>)
  /// A browser shows the web page; or the error, if none does (semantics V7).
  case browserOpened(continuation: Identifier, SegueError?)
  /// An event of a notification.
  case notice(NoticeEvent)
  /// The user has chosen what a surface of the desktop showed: an overview, a runner or a panel. The token lets the
  /// application's window come to the front.
  case picked(OfferID, activationToken: String?)
  /// The user has chosen, on a surface of the desktop, to send this activity of this device to that device.
  case sendPicked(DeviceID, Identifier)
  /// A surface of the desktop has sent no link to a phone, as its user had chosen.
  case linkNotSent(SegueError)
  /// The answer to `Effect.showText` if no window shows it.
  case textNotShown(Identifier, SegueError)
  /// The desktop has locked the screen, or unlocked it.
  case locked(Bool)
  /// The answer to `Effect.pin` if it has no request to reply to: the device could not be written down.
  case notPinned(PendingIntroduction, SegueError)

  /// Where a file lies.
  public enum FoundPlace: Equatable, Sendable {
    /// In the shared folder with this id.
    case folder(String)
    /// In no shared folder.
    case outside
    /// Its file system did not answer.
    case unknown
  }

  /// A paired device, with the name that the user gave it; the name is empty if the user gave none.
  public struct PairedName: Equatable, Sendable {
    public var device: DeviceID
    public var name: String
    /// The fate of offers and texts that are sent from the device.
    public var receiving: ReceivingRule

    public init(device: DeviceID, name: String, receiving: ReceivingRule = .ask) {
      self.device = device
      self.name = name
      self.receiving = receiving
    }
  }

  /// An event of the links to other devices.
  public enum LinkEvent: Equatable, Sendable {
    /// There is a new link to the device, which calls itself `name`.
    case up(DeviceID, name: String)
    case down(DeviceID)
    /// The link to the device came up by dialling this address.
    case reached(DeviceID, LinkAddress)
    /// The link to the device came up because the device dialled this one.
    case reachedBy(DeviceID)
    /// The device was dialled at each of its addresses in vain. `isSilent`: no connection was ever accepted there, as
    /// if a firewall were in the way.
    case unreached(DeviceID, isSilent: Bool)
    /// The device has removed this one, or seems to have.
    case unpairedThere(DeviceID, UnpairedThere)
    case message(DeviceID, LinkMessage)
    /// The device wants an activity, and waits on this channel for the answer.
    case fetchAsked(ChannelID, DeviceID, FetchRequest)
    /// The device wants a stream to the application whose activity it continues, on this channel.
    case streamAsked(ChannelID, DeviceID, StreamRequest)
    /// The device wants a file that the userInfo of an activity names, and waits on this channel for it.
    case fileAsked(ChannelID, DeviceID, FileRequest)
    /// The channel of a fetch has ended: the device no longer waits there.
    case channelClosed(ChannelID)
    /// The answer to `Effect.fetch`.
    case fetchAnswered(FetchID, FetchAnswer)
    /// The fetch's channel ended before the answer came. `withLink`: whether it ended with the link, so that the next
    /// link may bring the answer.
    case fetchLost(FetchID, withLink: Bool)
  }

  /// An event that an application sends at the door.
  public enum DoorEvent: Sendable {
    /// The session is this application. Reported once, before any other event of the session. `tier`: how certain that
    /// is. `takesLaunches`: it understands launch messages at the door.
    case registered(AppID, InstalledApplication.Tier, takesLaunches: Bool = false)
    case left
    case setCurrent(DoorActivity, RequestID)
    case resign(Identifier)
    /// The activity's new expiry, in milliseconds from now; nil: it never expires.
    case setExpiry(Identifier, timeLeft: UInt64?)
    case invalidate(Identifier)
    /// Stored copies with these persistent identifiers are to be deleted; nil: all (semantics C13).
    case deleteSaved(TextSet?, RequestID)
    /// The application wants a state that it stored in an earlier run (semantics C17).
    case lastState(StateQuery, RequestID)
    /// The plugin whose code will run in the application; nil: none any more.
    case runsPlugin(PluginID?)
    case followOffers
    /// The application has answered `Effect.tellOffers`, or will not answer it.
    case heardOffers
    /// The application was told that its activity was continued. The error: it does not have that activity, or it could
    /// not be told.
    case heardContinued(continuation: Identifier, SegueError?)
    /// The user chose an offer in the application's own window. `device` is the alias of the device that the
    /// application knows.
    case choose(device: String, Identifier, activationToken: String?, RequestID)
    case begin(ticket: Identifier, showsFailure: Bool, RequestID)
    /// will_continue has returned. `shown`: whether the application itself shows that an activity is on its way
    /// (semantics V4).
    case announced(ticket: Identifier, shown: Bool)
    case claim(ticket: Identifier, RequestID)
    case finish(ticket: Identifier, handled: Bool)
    /// The application wants a stream to the place that a continuation which it has claimed came from.
    case openStream(continuation: Identifier, RequestID)
    /// The application has taken its pair of a stream; or the error why not.
    case acceptedStream(StreamID, SegueError?)
    /// The application wants a file that is named in the userInfo of a continuation which it has claimed. `transfer`:
    /// the application's own number for it.
    case bringFile(continuation: Identifier, url: String, transfer: UInt64, RequestID)
    case cancelFile(transfer: UInt64)
    /// The application has opened the file; or the error why not.
    case openedFile(FileID, SegueError?)
    /// The answer to `Effect.askSave`.
    case saved(SaveID, Result<Snapshot, SegueError>)
  }

  /// A request of a user interface. Its read-only requests are methods of the engine (`Engine.list` and others).
  public enum ControlCall: Sendable {
    /// Reply when the first dials after the start are over, so that a list which is read then has the other devices'
    /// offers.
    case awaitDials
    /// Continue an offer. The device: nil for the one that has the offer. The application: nil for the preferred one.
    case choose(Identifier, of: DeviceID? = nil, AppID?, activationToken: String?)
    /// The user has followed a link on this device, perhaps in a browser, which opens it itself if no application does.
    /// Answered by `Effect.Reply.link`.
    case openLink(WebLink, activationToken: String?, isInBrowser: Bool = false)
    case pairing(PairingCall)
    case introduction(IntroductionCall)
    /// Stop a file or a stream that is on its way.
    case stop(Transfer.ID)
    /// Cancel a continuation that is on its way.
    case cancel(Identifier)
    /// Send this to the device; nil: the newest activity that it is offered. Answered when the device has taken it.
    case send(DeviceID, Proposal.Content?)
    /// Read the address of the activity's page; nil: of the newest one that has one. Answered by `Effect.Reply.page`.
    case page(Identifier?)
  }

  /// A request of the user about a third device.
  public enum IntroductionCall: Equatable, Sendable {
    /// Introduce a paired device to another one, or to all that are online; and introduce those to it.
    case introduce(DeviceID, to: DeviceID?)
    /// Pair with a device that was introduced here, or decline to.
    case accept(DeviceID)
    case decline(DeviceID)
  }

  /// A request of the user about pairing.
  public enum PairingCall: Equatable, Sendable {
    /// Open a window, in place of any other. The window closes when its holder leaves; nil: only when its time is over.
    case open(PairingWish, by: PairingHolder? = nil)
    /// The window is still shown, now by this holder.
    case renew(by: PairingHolder? = nil)
    /// The digits that the user has read on the other device.
    case type(String)
    /// Whether the other device accepted the digits.
    case confirm(Bool)
    case end
  }

  /// An event of the desktop's notifications.
  public enum NoticeEvent: Sendable {
    case serverAppeared
    case serverGone
    case notShown(Notices.Key)
    case closed(Notices.Key)
    case invoked(Notices.Key, Notice.Action, activationToken: String?)
  }
}
