#if !canImport(Darwin)
  import Foundation
  import Segue

  /// The type of a web page in a browser.
  public let NSUserActivityTypeBrowsingWeb = UserActivity.browsingWeb
  /// The key in userInfo under which a document's URL stands.
  public let NSUserActivityDocumentURLKey = Document.urlKey

  /// Apple's spelling of `UserActivity`, for code that was written for Apple's systems.
  ///
  /// It is bound to the main actor, as the views and controllers are that use it. A value that cannot travel, or is past a
  /// limit, changes nothing and is logged; there it would end the process.
  @MainActor
  open class NSUserActivity {
    /// The activity of Segue; nil where the type was malformed, or no application is registered (`NSApplication.register`).
    public let segue: UserActivity?
    /// Its type, which stays the same for its life.
    public let activityType: String
    /// Asked before the activity is sent, and told that it was continued. Not kept alive.
    public weak var delegate: (any NSUserActivityDelegate)? { didSet { install() } }

    /// Makes an activity of the registered application. It is not current yet.
    public init(activityType: String) {
      self.activityType = activityType
      segue = NSApplication.shared.make(activityType)
      remember()
    }

    init(_ activity: UserActivity) {
      segue = activity
      activityType = activity.type
      remember()
    }

    /// The object that stands for an activity: always the same one as long as somebody has it.
    static func of(_ activity: UserActivity) -> NSUserActivity {
      known[activity.id]?.object ?? NSUserActivity(activity)
    }

    private static var known: [UUID: Known] = [:]
    private struct Known { weak var object: NSUserActivity? }

    private func remember() {
      guard let segue else { return }
      Self.known = Self.known.filter { $0.value.object != nil }
      Self.known[segue.id] = Known(object: self)
    }

    // MARK: Attributes

    /// A name for the user, at most 512 bytes.
    open var title: String? {
      get { segue?.title }
      set { segue?.title = newValue }
    }
    /// The state. Over 100 KiB a continuation fails with `CocoaError.userActivityHandoffUserInfoTooLarge`.
    open var userInfo: [AnyHashable: Any]? {
      get { segue.map { Cocoa.dictionary($0.userInfo.entries) } }
      set { change("userInfo") { try $0.setUserInfo(UserInfo(Cocoa.entries(newValue ?? [:]))) } }
    }
    /// Adds entries; where a key exists already, the new value wins, the other keys stay.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
      change("addUserInfoEntries") { try $0.addUserInfoEntries(from: UserInfo(Cocoa.entries(otherDictionary))) }
    }
    /// Which entries of userInfo a stored copy needs; nil: all, or none where there is a web page.
    open var requiredUserInfoKeys: Set<String>? {
      get { segue?.requiredUserInfoKeys }
      set { segue?.requiredUserInfoKeys = newValue }
    }
    /// Whether the responders and the delegate are asked before it is sent.
    open var needsSave: Bool {
      get { segue?.needsSave ?? false }
      set { segue?.needsSave = newValue }
    }
    /// The page that shows the same in a browser, where no application takes it.
    open var webpageURL: URL? {
      get { segue?.webpageURL }
      set { segue?.webpageURL = newValue }
    }
    /// The page that led here.
    open var referrerURL: URL? {
      get { segue?.referrerURL }
      set { segue?.referrerURL = newValue }
    }
    /// When its offer ends and stored copies are removed; nil: never.
    open var expirationDate: Date? {
      get { segue?.expirationDate }
      set { segue?.expirationDate = newValue }
    }
    /// Words by which a stored copy is found.
    open var keywords: Set<String> {
      get { segue?.keywords ?? [] }
      set { segue?.keywords = newValue }
    }
    /// The content by which a window is chosen.
    open var targetContentIdentifier: String? {
      get { segue?.targetContentIdentifier }
      set { segue?.targetContentIdentifier = newValue }
    }
    /// The name by which its stored copy is replaced and deleted.
    open var persistentIdentifier: String? {
      get { segue?.persistentIdentifier }
      set { segue?.persistentIdentifier = newValue }
    }

    // MARK: Permissions

    /// Whether the application that continues it may ask for streams: false at first.
    open var supportsContinuationStreams: Bool {
      get { segue?.supportsContinuationStreams ?? false }
      set { segue?.supportsContinuationStreams = newValue }
    }
    /// Whether other devices may be offered it: true at first.
    open var isEligibleForHandoff: Bool {
      get { segue?.isEligibleForHandoff ?? false }
      set { segue?.isEligibleForHandoff = newValue }
    }
    /// Whether a copy is stored so that the user can search for it on this device: false at first.
    open var isEligibleForSearch: Bool {
      get { segue?.isEligibleForSearch ?? false }
      set { segue?.isEligibleForSearch = newValue }
    }
    /// Whether its content is public, for programs that index it: false at first.
    open var isEligibleForPublicIndexing: Bool {
      get { segue?.isEligibleForPublicIndexing ?? false }
      set { segue?.isEligibleForPublicIndexing = newValue }
    }
    /// Whether the user may be reminded of it at a fitting time: false at first.
    open var isEligibleForPrediction: Bool {
      get { segue?.isEligibleForPrediction ?? false }
      set { segue?.isEligibleForPrediction = newValue }
    }

    // MARK: Its life

    /// Offers it to other devices, in the place of the former current one.
    open func becomeCurrent() { change("becomeCurrent") { try $0.becomeCurrent() } }
    /// Withdraws the offer; it may become current again.
    open func resignCurrent() { change("resignCurrent") { try $0.resignCurrent() } }
    /// Ends it: it is never offered again.
    open func invalidate() { segue?.invalidate() }

    /// The state as a value of a type of yours.
    public func typedPayload<T: Decodable>(_ type: T.Type) throws -> T {
      guard let segue else { throw CocoaError(.userActivityHandoffFailed) }
      return try segue.typedPayload(type)
    }

    /// Replaces userInfo by the properties of a value.
    public func setTypedPayload<T: Encodable>(_ payload: T) throws { try segue?.setTypedPayload(payload) }

    /// Asks the application that this activity was continued from for streams.
    open func getContinuationStreams(
      completionHandler: @escaping @MainActor (InputStream?, OutputStream?, (any Error)?) -> Void
    ) {
      guard let segue else { return completionHandler(nil, nil, CocoaError(.userActivityConnectionUnavailable)) }
      Task { @MainActor in
        do {
          let streams = try await segue.continuationStreams()
          completionHandler(StreamInput(streams), StreamOutput(streams), nil)
        } catch {
          completionHandler(nil, nil, error)
        }
      }
    }

    /// Deletes stored copies of the application's activities.
    public class func deleteSavedUserActivities(
      withPersistentIdentifiers identifiers: [String], completionHandler: @escaping @MainActor () -> Void
    ) {
      Task { @MainActor in
        try? await NSApplication.shared.segue?.deleteSavedActivities(identifiers)
        completionHandler()
      }
    }
    /// Deletes all stored copies of the application.
    public class func deleteAllSavedUserActivities(completionHandler: @escaping @MainActor () -> Void) {
      Task { @MainActor in
        try? await NSApplication.shared.segue?.deleteAllSavedActivities()
        completionHandler()
      }
    }

    private func install() {
      segue?.onWillSave = { [weak self] _ in self.map { $0.delegate?.userActivityWillSave($0) } }
      segue?.onWasContinued = { [weak self] _ in self.map { $0.delegate?.userActivityWasContinued($0) } }
      segue?.onReceiveStreams = { [weak self] _, streams in
        self.map {
          $0.delegate?.userActivity($0, didReceive: StreamInput(streams), outputStream: StreamOutput(streams))
        }
      }
    }

    private func change(_ name: String, _ body: (UserActivity) throws -> Void) {
      guard let segue else { return }
      do {
        try body(segue)
      } catch {
        NSApplication.shared.log("\(name) of an activity of type \(activityType): \(error)")
      }
    }
  }

  /// The owner of an activity.
  @MainActor
  public protocol NSUserActivityDelegate: AnyObject {
    /// It is about to be sent; bring userInfo up to date.
    func userActivityWillSave(_ userActivity: NSUserActivity)
    /// Another device has continued it.
    func userActivityWasContinued(_ userActivity: NSUserActivity)
    /// The application that continues it has asked for streams; open and close them.
    func userActivity(
      _ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream)
  }

  extension NSUserActivityDelegate {
    public func userActivityWillSave(_ userActivity: NSUserActivity) {}
    public func userActivityWasContinued(_ userActivity: NSUserActivity) {}
    public func userActivity(
      _ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
    ) {}
  }
#endif
