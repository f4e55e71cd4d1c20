import SegueBus
import SegueClient
import SegueCore

/// An open document: a responder that has a file, and an activity of its own if the file lies in a container (semantics
/// R7). DocumentMachine decides when.
public final class Document: Responder, @unchecked Sendable {
  public let mimeType: MIMEType
  private let documentMethods: DocumentMethods
  /// Guards the members that every thread reads.
  private let lock = Lock()
  private var file: FileURL?
  private var closed = false
  /// Whether the application has set an activity, or none. Guarded by the property's own lock (`assign`).
  private var isTaken = false

  // The application's thread.
  private var machine = DocumentMachine()
  /// Whether the user only looks at it.
  private(set) var isViewed = false
  /// The activity that the library has given it.
  private var own: Activity?
  /// An activity that was continued here and names this file.
  private var continued: Activity?
  /// The number of the latest request to the daemon, whose answer counts.
  private var request: UInt64 = 0
  /// Responders that go with the document, by number, in the order in which they were added.
  private var companions: [UInt64] = []

  /// Opens a document; the application's thread. `url` is nil while there is no file yet.
  public init(application: Application, url: FileURL?, mimeType: MIMEType, methods: DocumentMethods) {
    self.mimeType = mimeType
    documentMethods = methods
    file = url
    super.init(application: application, methods: ResponderMethods(observing: methods), kind: .document)
    application.documents.add(self)
    moved()
  }

  public override func abandoned() {
    close()
    super.abandoned()
  }

  // MARK: Its file and its life

  /// Any thread.
  public var url: FileURL? { lock.withLock { file } }

  /// Any thread.
  public var isClosed: Bool { lock.withLock { closed } }

  /// Sets the file's URL; the application's thread. The activity goes on for the new file, if that lies in a container
  /// too.
  public func setURL(_ url: FileURL?) throws(SegueError) {
    try checkOpen()
    guard url != self.url else { return }
    retitle(from: self.url, to: url)
    lock.withLock { file = url }
    moved()
  }

  /// Sets the user's role, which may give the document an activity of another type.
  public func setViewed(_ isViewed: Bool) throws(SegueError) {
    try checkOpen()
    guard isViewed != self.isViewed else { return }
    self.isViewed = isViewed
    handle(.doubted)
  }

  /// Follows a file that another program has renamed or moved.
  func follow(_ url: FileURL) {
    try? setURL(url)
    if isHeld { documentMethods.moved?(self, CText(url.string)) }
  }

  private func moved() {
    application.followedFiles.follow(self)
    handle(.moved(hasFile: url != nil))
    if let url, let activity = application.arrivals.activity(of: url) { take(activity) }
  }

  /// Ends the document's own activity, and leaves one that the application has set. The application's thread.
  public func close() {
    let first = lock.withLock {
      defer { closed = true }
      return !closed
    }
    guard first else { return }
    handle(.closed)
    continued = nil
    application.followedFiles.forget(self)
    application.documents.forget(self)
  }

  private func checkOpen() throws(SegueError) {
    if isClosed { throw SegueError(.invalidated, "The document was closed.") }
  }

  // MARK: Its activity

  /// Sets an activity of the application's: the library makes none for this document any more.
  public override func setUserActivity(_ activity: Activity?) throws(SegueError) {
    try checkOpen()
    guard activity == nil || activity !== userActivity else { return }
    try assign(activity) {
      isTaken = true
      return true
    }
    application.onItsThread(with: self) {
      $0.own = nil
      $0.handle(.activitySet)
    }
  }

  override func forget(_ activity: Activity) {
    super.forget(activity)
    guard own === activity else { return }
    own = nil
    handle(.activityEnded)
  }

  override func update(_ activity: Activity) -> SegueError? {
    if machine.isShared, let url { try? activity.addUserInfo([FileURL.documentKey: .url(url.string)]) }
    documentMethods.update?(self, activity)
    return nil
  }

  public override func restore(from activity: Activity) -> SegueError? { restore(from: activity, beside: Set()) }

  /// Restores the document and its companions; returns the error of the first that failed.
  @discardableResult
  private func restore(from activity: Activity, beside others: Set<UInt64>) -> SegueError? {
    documentMethods.restore?(self, activity)
    var first: SegueError?
    for companion in companionsNow where !application.isClosed && !others.contains(companion.number) {
      let error = companion.restore(from: activity)
      first = first ?? error
    }
    return first
  }

  /// The document that a continued activity names goes on with that one instead of its own (semantics V15).
  override func restore(fromContinued activity: Activity, beside others: Set<UInt64>) {
    if let url, FileURL(documentIn: activity.userInfo) == url { take(activity) }
    restore(from: activity, beside: others)
  }

  // MARK: Its responders

  /// Adds a responder that has a part in the document's activity, whichever that is; the application's thread.
  public func add(_ companion: Responder) throws(SegueError) {
    guard companion.kind != .document else {
      throw SegueError(.invalidArgument, "A document has an activity of its own, and goes with no other.")
    }
    try checkOpen()
    guard !companions.contains(companion.number) else { return }
    companions = companionsNow.map { $0.number }
    guard companions.count < Limits.documentResponders else {
      throw SegueError(.limitExceeded, "At most \(Limits.documentResponders) responders go with a document.")
    }
    // Otherwise the responder would follow whichever of two documents' activities changed last.
    application.documents.takeOff(companion, exceptFrom: self)
    companions.append(companion.number)
    try? companion.assign(userActivity)
  }

  /// Removes a responder again; the application's thread.
  public func remove(_ companion: Responder) {
    guard companions.contains(companion.number) else { return }
    companions.removeAll { $0 == companion.number }
    if companion.userActivity === userActivity { try? companion.assign(nil) }
  }

  private var companionsNow: [Responder] { companions.compactMap { application.focus.responder($0) } }

  override func didAttach() {
    let activity = userActivity
    for companion in companionsNow where companion.userActivity !== activity { try? companion.assign(activity) }
  }

  private func take(_ activity: Activity) {
    guard activity !== own else { return }
    continued = activity
    handle(.continued(activity.type))
  }

  // MARK: The machine's effects

  /// Notes that the daemon's answer may not hold any more.
  func doubt() { handle(.doubted) }

  /// The request for the daemon; nil if the answer is not needed any more.
  var openRequest: (number: UInt64, url: FileURL)? {
    guard !isClosed, let url else { return nil }
    return (request, url)
  }

  func found(_ place: DocumentMachine.Place, request: UInt64) { handle(.found(place, request: request)) }

  private func handle(_ event: DocumentMachine.Event) {
    for effect in machine.handle(event) { perform(effect) }
  }

  private func perform(_ effect: DocumentMachine.Effect) {
    switch effect {
    case .ask(let request):
      self.request = request
      application.documents.ask(about: self)
    case .attachNew(let type):
      attach(newActivity(type))
    case .attachContinued:
      guard let activity = continued else { return }
      continued = nil
      let companions = own?.responders ?? []
      // The activity may have ended during the request to the daemon.
      let next = activity.isInvalid ? newActivity(activity.type) : activity
      attach(next)
      // A responder that was given the document's activity follows the document to its next one.
      for companion in companions where companion !== self { try? companion.assign(next) }
    case .end:
      guard let activity = own else { return }
      own = nil
      super.forget(activity)
      application.focus.invalidate(activity)
    case .detach:
      try? assign(nil)
    case .needsSave:
      try? userActivity?.setNeedsSave(true)
    case .needsRound:
      userActivity?.needsRound()
    }
  }

  private func attach(_ activity: Activity) {
    own = activity
    try? assign(activity) { !isTaken }
  }

  private func newActivity(_ type: ActivityType) -> Activity {
    var content = Activity.Content()
    // The title is the file's name, unless the application sets a better one.
    content.attributes.title = url?.name
    return Activity(application: application, type: type, content: content, external: 0)
  }

  private func retitle(from former: FileURL?, to url: FileURL?) {
    guard let activity = userActivity, let former, activity.title == former.name, let url else { return }
    try? activity.setTitle(url.name)
  }
}

extension ResponderMethods {
  /// A document updates and restores in its own way; its activity is observed as any responder's.
  fileprivate init(observing methods: DocumentMethods) {
    self.init()
    if let changed = methods.changed { self.changed = { changed(unsafeDowncast($0, to: Document.self), $1) } }
  }
}
