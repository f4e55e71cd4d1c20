import SegueCore

/// The applications that are connected at the door.
struct DoorSessions {
  struct Application {
    let appID: AppID
    let tier: InstalledApplication.Tier
    /// Whether it understands launch messages at the door.
    let takesLaunches: Bool
    /// The offers that the application was last sent; nil: it does not follow offers.
    var offers: OfferFollower?
    /// The continuations that the application is being notified of and has not acknowledged: one of each device, so
    /// that no device waits for another one's.
    var telling: [ContinuationJournal.Pending] = []
    /// The continuations whose activity the application does not have, or of which it could not be notified.
    var declined: Set<ContinuationJournal.Pending> = []
    /// The plugin whose code now saves or restores in the application.
    var plugin: PluginID?
  }

  private var applications: [SessionID: Application] = [:]

  subscript(session: SessionID) -> Application? { applications[session] }

  var appIDs: Set<AppID> { Set(applications.values.map { $0.appID }) }

  /// The sessions in the order in which they connected.
  var inOrder: [SessionID] { applications.keys.sorted() }

  func sessions(of appID: AppID) -> [SessionID] { inOrder.filter { applications[$0]?.appID == appID } }

  /// Registers a session. A session that was another application before gets other offers. Notifications that it has
  /// not acknowledged are not sent twice.
  mutating func register(
    _ session: SessionID, _ appID: AppID, _ tier: InstalledApplication.Tier, takesLaunches: Bool
  ) {
    let telling = applications[session]?.telling ?? []
    applications[session] = Application(appID: appID, tier: tier, takesLaunches: takesLaunches, telling: telling)
  }

  /// The one process of the application, if it takes launch messages and is known as surely as that. The bus alone
  /// knows which of several owns the application's name.
  func taker(of appID: AppID, _ tier: InstalledApplication.Tier) -> SessionID? {
    let all = sessions(of: appID)
    guard all.count == 1, let application = applications[all[0]], application.takesLaunches, application.tier >= tier
    else { return nil }
    return all[0]
  }

  mutating func leave(_ session: SessionID) { applications[session] = nil }

  mutating func runs(_ plugin: PluginID?, _ session: SessionID) { applications[session]?.plugin = plugin }

  // MARK: Offers

  mutating func follow(_ session: SessionID) {
    guard applications[session] != nil, applications[session]?.offers == nil else { return }
    applications[session]?.offers = OfferFollower()
  }

  var followers: [SessionID] { inOrder.filter { applications[$0]?.offers != nil } }

  mutating func offers(_ event: OfferFollower.Event, _ session: SessionID, _ turn: inout Turn) {
    for case .tell(let offers) in applications[session]?.offers?.handle(event) ?? [] {
      turn.emit(.tellOffers(session, offers))
    }
  }

  // MARK: Was continued

  /// Whether the application is to be notified now. If so, the notification is recorded as being sent.
  mutating func tell(_ session: SessionID, _ pending: ContinuationJournal.Pending) -> Bool {
    guard let application = applications[session], !application.declined.contains(pending),
      !application.telling.contains(where: {
        $0.device == pending.device || $0.notice.continuation == pending.notice.continuation
      })
    else { return false }
    applications[session]?.telling.append(pending)
    return true
  }

  /// The application is not notified of it again while other processes of the application may have the activity.
  /// `unheard`: the notifications that are worth remembering.
  mutating func decline(
    _ session: SessionID, _ pending: ContinuationJournal.Pending, unheard: [ContinuationJournal.Pending]
  ) {
    applications[session]?.declined.insert(pending)
    applications[session]?.declined.formIntersection(unheard)
  }

  mutating func askAgain(_ session: SessionID) { applications[session]?.declined = [] }

  /// The application has answered. Returns the notification that it has answered; nil if it was not being notified of
  /// this continuation.
  mutating func told(_ session: SessionID, _ continuation: Identifier) -> ContinuationJournal.Pending? {
    guard let index = applications[session]?.telling.firstIndex(where: { $0.notice.continuation == continuation })
    else { return nil }
    return applications[session]?.telling.remove(at: index)
  }
}
