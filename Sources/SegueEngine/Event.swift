import SegueCore

/// A connection at the door; never used twice.
public typealias SessionID = UInt64
/// A call that waits for its reply; whoever carries effects out counts them.
public typealias RequestID = UInt64
/// A fetch from another device; the engine counts them.
public typealias FetchID = UInt64
/// A question to an application for its state; the engine counts them.
public typealias SaveID = UInt64
/// A request to the store; the engine counts them.
public typealias StoreID = UInt64

/// Everything that an engine is told.
public enum Event: Sendable {
  /// The time that `Effect.wake` named has come.
  case time
  /// What the store holds: at the start what was left by earlier runs; later nothing, where its file was damaged.
  case loaded([StoredCopy])
  /// Applications can be launched from now on: what an earlier daemon had under way goes on (semantics X9).
  case canLaunch
  /// The applications that are installed.
  case applications(ApplicationIndex)
  /// What else decides who may continue what.
  case rules(MatchRules)
  /// The paired devices, in the user's order, with the names that the user gave them.
  case paired([PairedName])
  case link(LinkEvent)
  case door(SessionID, DoorEvent)
  case control(RequestID, ControlCall)
  /// The answer to `Effect.store`.
  case stored(StoreID, Result<StoreAnswer, SegueError>)
  /// The launch message of this ticket could not be delivered. `ownerGone`: there was an owner, and it went.
  case launchFailed(ticket: Identifier, SegueError, ownerGone: Bool)
  /// The files that a snapshot names are here, and its URLs are this device's, or they are not (semantics R8).
  case localized(continuation: Identifier, Result<Snapshot, SegueError>)
  /// A browser shows the web page, or (the error) none does (semantics V7).
  case browserOpened(continuation: Identifier, SegueError?)
  /// What happens to notifications.
  case notice(NoticeEvent)

  /// A paired device, by the name that the user gave it; empty where none was given.
  public struct PairedName: Equatable, Sendable {
    public var device: DeviceID
    public var name: String

    public init(device: DeviceID, name: String) {
      self.device = device
      self.name = name
    }
  }

  /// What comes over the link to other devices.
  public enum LinkEvent: Equatable, Sendable {
    /// There is a new link to the device, which calls itself by this name.
    case up(DeviceID, name: String)
    case down(DeviceID)
    /// It was dialled at each of its addresses in vain.
    case unreached(DeviceID)
    case message(DeviceID, LinkMessage)
    /// The device wants an activity, and waits on this channel for the answer.
    case fetchAsked(ChannelID, DeviceID, FetchRequest)
    /// The channel has ended: nobody waits there any more.
    case channelClosed(ChannelID)
    /// The answer to `Effect.fetch`.
    case fetchAnswered(FetchID, FetchAnswer)
    /// The fetch's channel ended before its answer; `withLink`: the link did, so that the next one may bring it.
    case fetchLost(FetchID, withLink: Bool)
  }

  /// What an application says at the door.
  public enum DoorEvent: Sendable {
    /// It may call itself that; said once before anything else. `tier`: how sure that is.
    case registered(AppID, InstalledApplication.Tier)
    case left
    case setCurrent(DoorActivity, RequestID)
    case resign(Identifier)
    /// The activity expires then instead; nil: never.
    case setExpiry(Identifier, timeLeft: UInt64?)
    case invalidate(Identifier)
    /// Stored copies with these persistent identifiers are to be deleted; nil: all (semantics C13).
    case deleteSaved(Set<String>?, RequestID)
    case followOffers
    /// The list of `Effect.tellOffers` has been heard, or will not be.
    case heardOffers
    /// It was told that its activity was continued; with the error if it does not know that, or could not be told.
    case heardContinued(continuation: Identifier, SegueError?)
    /// The user chose an offer in the application's own window; `device` is the alias that it was told.
    case choose(device: String, Identifier, activationToken: String?, RequestID)
    case begin(ticket: Identifier, showsFailure: Bool, RequestID)
    /// will_continue has returned; `shown`: it shows that something comes (semantics V4).
    case announced(ticket: Identifier, shown: Bool)
    case claim(ticket: Identifier, RequestID)
    case finish(ticket: Identifier, handled: Bool)
    /// The answer to `Effect.askSave`.
    case saved(SaveID, Result<Snapshot, SegueError>)
  }

  /// What user interfaces ask, besides what they read (`Engine.list` and the like).
  public enum ControlCall: Sendable {
    /// Reply when the first dials after the start are over, so that what is asked next finds what is there.
    case awaitDials
    /// Continue an offer of whatever device; in the application that is named if one is.
    case choose(Identifier, AppID?, activationToken: String?)
  }

  /// What happens to notifications.
  public enum NoticeEvent: Sendable {
    case serverAppeared
    case serverGone
    case notShown(Notices.Key)
    case closed(Notices.Key)
    case invoked(Notices.Key, activationToken: String?)
  }
}
