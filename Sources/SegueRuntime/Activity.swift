import SegueBus
import SegueCore

/// What the user is doing. Attributes may be set and read from any thread; life and delegate belong to the
/// application's thread.
public final class Activity: Handle, @unchecked Sendable {
  public let application: Application
  public let type: ActivityType
  public let id: Identifier
  /// The type for C, borrowed as long as the activity lives.
  public let typeText: CText

  /// Who wants a snapshot.
  enum SaveRequest: Equatable, Sendable {
    /// The daemon; the number finds its call.
    case fetch(UInt64)
    /// The first offer (semantics S8 b).
    case offer
  }

  struct Content: Sendable {
    var title: String?
    var webpageURL: String?
    var userInfo: [Value: Value] = [:]
    var isEligible = true
    var isInvalid = false
    /// Written by the application alone; here so that every thread may ask.
    var isCurrent = false
    var revision: UInt64 = 0
    var saving = SaveMachine<SaveRequest>()
  }

  private let lock = Lock()
  private var content: Content

  // The application's thread.
  public var delegate = ActivityDelegate()
  /// In order of registration (semantics S10).
  var responders: [Responder] = []

  /// `external` is 0 for an activity that the library makes for a continuation.
  init(application: Application, type: ActivityType, content: Content = Content(), external: Int) {
    self.application = application
    self.type = type
    typeText = CText(type.string)
    self.content = content
    id = .random()
    super.init(kind: .activity, external: external)
  }

  /// Makes an activity for the application's own use, the caller's reference included.
  public convenience init(application: Application, type: ActivityType) {
    self.init(application: application, type: type, external: 1)
  }

  public override func abandoned(_ retained: Unmanaged<Handle>) {
    application.afterwards(releasing: retained) { self.application.dropIfAbandoned(self) }
  }

  // MARK: Attributes, any thread

  /// One look at everything: what is read in one call belongs together (semantics S7).
  var now: Content { lock.withLock { content } }

  /// Changes the content, unless the activity is invalid (semantics C11).
  private func change(_ body: (inout Content) throws(SegueError) -> Void) throws(SegueError) {
    try lock.withLock { () throws(SegueError) in
      guard !content.isInvalid else { throw SegueError(.invalidated, "The activity was invalidated.") }
      try body(&content)
    }
  }

  public var title: String? { now.title }
  public var webpageURL: String? { now.webpageURL }
  public var userInfo: [Value: Value] { now.userInfo }
  public var isEligible: Bool { now.isEligible }
  public var isInvalid: Bool { now.isInvalid }
  public var revision: UInt64 { now.revision }
  public var needsSave: Bool { now.saving.needsSave }
  public var isCurrent: Bool { now.isCurrent }

  /// Throws `limitExceeded` over 512 bytes.
  public func setTitle(_ title: String?) throws(SegueError) {
    if let title, title.utf8.count > Limits.titleMaximum {
      throw SegueError(.limitExceeded, "A title has at most \(Limits.titleMaximum) bytes.")
    }
    try change { $0.title = title }
    application.offerMayHaveChanged()
  }

  /// Throws `invalidArgument` for anything but http and https (semantics C8).
  public func setWebpageURL(_ url: String?) throws(SegueError) {
    if let url, !Self.isWebpage(url) {
      throw SegueError(.invalidArgument, "A webpage URL begins with http:// or https:// and names a host.")
    }
    try change { $0.webpageURL = url }
    application.offerMayHaveChanged()
  }

  public func setEligible(_ eligible: Bool) throws(SegueError) {
    try change { $0.isEligible = eligible }
    application.offerMayHaveChanged()
  }

  public func setUserInfo(_ entries: [Value: Value]) throws(SegueError) {
    try UserInfo.check(entries)
    try change { $0.userInfo = entries }
  }

  /// Adds entries; on a clash the new value wins (semantics C4).
  public func addUserInfo(_ entries: [Value: Value]) throws(SegueError) {
    try UserInfo.check(entries)
    try change { content throws(SegueError) in
      for (key, value) in entries {
        guard content.userInfo[key] != nil || content.userInfo.count < Limits.dictionaryEntries else {
          throw SegueError(.limitExceeded, "userInfo has at most \(Limits.dictionaryEntries) entries.")
        }
        content.userInfo[key] = value
      }
    }
  }

  /// Cheap, at every change (semantics S1): no save follows from it by itself.
  public func setNeedsSave(_ needed: Bool) throws(SegueError) {
    try change { _ = $0.saving.handle(.needsSave(needed)) }
  }

  private static func isWebpage(_ url: String) -> Bool {
    guard url.utf8.count <= Limits.valueLength, Value.isURL(url), !url.utf8.contains(32) else { return false }
    return webHost(url) != nil
  }

  /// The host that an offer names instead of the URL; nil unless `url` is an http or https URL with a host.
  static func webHost(_ url: String) -> String? {
    var rest = url.utf8[...]
    for (scheme, upper) in [("http", "HTTP"), ("https", "HTTPS")] {
      var candidate = url.utf8[...]
      var matches = true
      for (lower, capital) in zip(scheme.utf8, upper.utf8) {
        guard let byte = candidate.popFirst(), byte == lower || byte == capital else {
          matches = false
          break
        }
      }
      guard matches, candidate.starts(with: "://".utf8) else { continue }
      rest = candidate.dropFirst(3)
      let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      let host =
        authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
      return host.isEmpty ? nil : String(decoding: host, as: UTF8.self)
    }
    return nil
  }

  // MARK: Saving, the application's thread

  func saving(_ event: SaveMachine<SaveRequest>.Event) -> [SaveMachine<SaveRequest>.Effect] {
    lock.withLock { content.saving.handle(event) }
  }

  /// Before a round: what responders own is made anew by them (semantics R2).
  func emptyUserInfo() {
    lock.withLock { content.userInfo = [:] }
  }

  /// The commit point (semantics S4): userInfo as it is now, and the next revision. Tells how large it is besides.
  func takeSnapshot() throws(SegueError) -> (snapshot: Snapshot, userInfo: CBOR.Encoded) {
    let taken = lock.withLock {
      content.revision &+= 1
      return content
    }
    let userInfo = try UserInfo.encode(taken.userInfo)
    let snapshot = Snapshot(
      id: id, revision: taken.revision, type: type, title: taken.title, webpageURL: taken.webpageURL,
      userInfo: userInfo.bytes)
    return (snapshot, userInfo)
  }

  /// The application has made it current, or no longer.
  func markCurrent(_ isCurrent: Bool) { lock.withLock { content.isCurrent = isCurrent } }

  /// Ends it for good: false if it had ended before.
  func markInvalid() -> Bool {
    lock.withLock {
      defer { content.isInvalid = true }
      return !content.isInvalid
    }
  }
}
