import SegueCore

/// Decides whether an open document has an activity by itself, in the application (semantics R7).
///
/// It has one while the daemon says that the application declares an activity type for the document's MIME type, and
/// that the file lies in a container. If the application sets the document's activity (or sets none), that counts from
/// then on. An activity that was continued here and names the same file is taken over, so that no second one is made
/// (V15).
public struct DocumentMachine: Sendable {
  /// The daemon's answer about a document.
  public struct Place: Equatable, Sendable {
    /// The type that the application declares for documents of this kind.
    public var activityType: ActivityType?
    /// The container that the file lies in.
    public var container: String?

    public init(activityType: ActivityType?, container: String?) {
      self.activityType = activityType
      self.container = container
    }
  }

  public enum Event: Equatable, Sendable {
    /// The document has this file now, or none; also once when it is made.
    case moved(hasFile: Bool)
    /// The daemon's last answer may not hold any more: there is a new daemon, or containers have changed.
    case doubted
    /// The daemon's answer to a request.
    case found(Place, request: UInt64)
    /// An activity that was continued here names this file.
    case continued(ActivityType)
    /// The application set the document's activity, or took it away.
    case activitySet
    /// The document's activity was ended, not by this machine.
    case activityEnded
    case closed
  }

  public enum Effect: Equatable, Sendable {
    /// Ask the daemon; the number comes back with the answer. An unanswered request before it is void.
    case ask(request: UInt64)
    /// Make an activity of that type and attach the document to it.
    case attachNew(ActivityType)
    /// Attach the document to the activity that was continued; end the one that it had.
    case attachContinued
    /// End the document's activity.
    case end
    /// Leave the document's activity, which is the application's.
    case detach
    /// The file is another one: a change like the application's own.
    case needsSave
    /// Whether userInfo may name the file is known now: no change, but userInfo does not hold all of it.
    case needsRound
  }

  /// The owner of the activity that the document has.
  private enum Owner: Equatable, Sendable {
    case nobody
    /// One of the library's, of that type.
    case library(ActivityType)
    case application
  }

  /// The daemon's last answer; nil before the first one.
  public private(set) var place: Place?
  private var owner = Owner.nobody
  /// The type of a continued activity that waits for the daemon's answer.
  private var continued: ActivityType?
  private var hasFile = false
  private var request: UInt64 = 0
  private var isClosed = false

  public init() {}

  /// Whether the file lies in a container, so that its URL means the same file on another device.
  public var isShared: Bool { hasFile && place?.container != nil }

  public mutating func handle(_ event: Event) -> [Effect] {
    guard !isClosed else { return [] }
    switch event {
    case .moved(let hasFile):
      self.hasFile = hasFile
      let changed: [Effect] = owner == .nobody ? [] : [.needsSave]
      if hasFile { return changed + ask() }
      request &+= 1
      place = nil
      return settle(since: changed)
    case .doubted:
      return hasFile ? ask() : []
    case .found(let place, let request):
      guard request == self.request, hasFile else { return [] }
      let wasShared = isShared
      self.place = place
      return settle(since: owner == .application && isShared != wasShared ? [.needsRound] : [])
    case .continued(let type):
      continued = type
      return settle()
    case .activitySet, .activityEnded:
      owner = .application
      continued = nil
      return []
    case .closed:
      isClosed = true
      return owner == .application ? [.detach] : owner == .nobody ? [] : [.end]
    }
  }

  private mutating func ask() -> [Effect] {
    request &+= 1
    return [.ask(request: request)]
  }

  /// The effects that give the document the activity that it should have.
  private mutating func settle(since effects: [Effect] = []) -> [Effect] {
    guard owner != .application else { return effects }
    guard isShared, let type = place?.activityType else {
      guard owner != .nobody else { return [] }
      owner = .nobody
      return [.end]
    }
    if continued == type {
      continued = nil
      owner = .library(type)
      return [.attachContinued]
    }
    switch owner {
    case .library(type): return effects
    case .nobody:
      owner = .library(type)
      return [.attachNew(type)]
    case .library, .application:
      owner = .library(type)
      return [.end, .attachNew(type)]
    }
  }
}
