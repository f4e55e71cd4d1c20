import SegueCore

/// The reason why an activity is offered, or is not (semantics X1).
public struct Explanation: Sendable {
  public var activity: Identifier?
  public var type: ActivityType?
  public var appID: AppID
  public var appName: String
  /// The title is content, and is left out where others may listen.
  public var title: String?
  /// The reason why the activity is current, in its application's words. This is content, too.
  public var currentReason: String?
  /// A warning for the application's developer.
  public var warning: String?
  /// The device that has it on offer; nil for this one.
  public var origin: DeviceID?
  /// For an activity of this device: the device to which it is offered.
  public var receiver: DeviceID?
  public var deviceName: String?
  public var isOffered = false
  /// The reason: one word for a program, and a sentence for a person.
  public var reason = ""
  public var sentence = ""
  /// The application here that may continue the activity, or may not.
  public var localApplication: AppID?

  func because(
    _ isOffered: Bool, _ reason: String, _ sentence: String, _ application: InstalledApplication? = nil
  ) -> Explanation {
    var row = self
    (row.isOffered, row.reason, row.sentence) = (isOffered, reason, sentence)
    row.localApplication = application?.appID
    return row
  }
}

extension Engine {
  /// A row for each pair of an activity here and a paired device, and for each pair of another device's offer and an
  /// application here. `subject`: "" for all, or the start of an id, an activity type or an application id. `refusals`:
  /// the last refusal of each application at the door.
  public func explain(
    _ subject: String, refusals: [AppID: SegueError] = [:], at moment: Moment
  ) throws(SegueError) -> [Explanation] {
    guard subject.utf8.count <= Limits.nameLength else {
      throw SegueError(.invalidArgument, "This is neither an activity's id, nor an activity type or an application id.")
    }
    let start = Identifier(text: subject)?.hex ?? subject.lowercased()
    func isWanted(_ id: Identifier, _ type: ActivityType, _ app: AppID) -> Bool {
      subject.isEmpty || id.hex.begins(with: start) || type.string == subject || app.string == subject
    }
    var rows: [Explanation] = []
    for entry in origin.local.entries.values.sorted(by: { $0.since > $1.since })
    where isWanted(entry.activity.id, entry.activity.type, entry.appID) {
      rows += explain(entry, at: moment)
    }
    for entry in remote.all where isWanted(entry.offer.id, entry.offer.type, entry.offer.appID) {
      rows += explain(entry.offer, from: entry.device, at: moment)
    }
    for copy in keptOfAbsent(at: moment) where !subject.isEmpty || hiding(copy.offer, of: copy.device) == nil {
      guard let device = copy.device, isWanted(copy.offer.id, copy.offer.type, copy.offer.appID) else { continue }
      rows += explain(copy.offer, from: device, at: moment)
    }
    if rows.isEmpty, !subject.isEmpty { return try applications(subject).map { explain($0, refusals[$0]) } }
    // A refused program has nothing here that could be listed, and its developer does not know which name to ask for.
    let refused = refusals.keys.filter { subject.isEmpty && sessions.sessions(of: $0).isEmpty }
    for id in refused.sorted(by: { $0.string < $1.string }) { rows.append(explain(id, refusals[id])) }
    return rows
  }

  // MARK: Activities of this device's applications

  private func explain(_ entry: LocalOffers.Entry, at moment: Moment) -> [Explanation] {
    var common = Explanation(
      activity: entry.activity.id, type: entry.activity.type, appID: entry.appID,
      appName: catalog.name(of: entry.appID))
    common.title = entry.activity.title.map { DisplayText.clean($0) }
    common.warning = Self.sizeWarning(entry.snapshot)
    let verdict = origin.local.verdict(of: entry)
    // The reason for being current has no meaning once the activity is no longer current.
    if origin.local.isCurrent(entry) {
      common.currentReason = entry.activity.reason.map { DisplayText.clean($0) }
    }
    let rows = devices.paired.map { device in
      let refusal = refusal(of: entry.activity.id, of: entry.appID, to: device)
      let reached = refusal ?? (verdict.isOffered && !devices.isOnline(device) ? .offline : verdict)
      let name = devices.name(of: device)
      var row = common.because(reached.isOffered, reached.word, reached.sentence(device: name))
      row.receiver = device
      row.deviceName = name
      return row
    }
    let here = explainHere(entry, common, at: moment)
    guard rows.isEmpty else { return rows + here }
    return [common.because(false, "unpaired", "No device is paired with this one.")] + here
  }

  /// Whether another application of this device may continue it (semantics V19).
  private func explainHere(
    _ entry: LocalOffers.Entry, _ common: Explanation, at moment: Moment
  ) -> [Explanation] {
    guard let offer = ownOffers(at: moment).first(where: { $0.id == entry.activity.id }) else { return [] }
    let match = catalog.match(offer, isHere: true, at: moment)
    let refusals = match.refusals.filter { $0.reason != .ownActivity }
    return match.candidates.map { common.because(true, "offered", catalog.sentence($0, in: match), $0) }
      + refusals.map { common.because(false, $0.reason.word, $0.sentence, $0.application) }
  }

  /// A warning if userInfo, as it was last saved, is larger than advised (semantics E4).
  private static func sizeWarning(_ snapshot: Snapshot?) -> String? {
    guard let snapshot, snapshot.userInfo.count > Limits.userInfoAdvised,
      let value = try? CBOR.decode(snapshot.userInfo),
      let encoded = try? CBOR.encode(userInfo: value)
    else { return nil }
    return "Its userInfo takes \(snapshot.userInfo.count) bytes\(encoded.largestInSentence); "
      + "up to \(Limits.userInfoAdvised) is advised."
  }

  // MARK: Offers of other devices

  private func explain(_ offer: Offer, from device: DeviceID, at moment: Moment) -> [Explanation] {
    let match = catalog.match(offer, at: moment)
    var common = Explanation(
      activity: offer.id, type: offer.type, appID: offer.appID, appName: catalog.name(of: offer.appID))
    common.title = offer.title
    common.origin = device
    common.deviceName = devices.name(of: device)
    let hiding = hiding(offer, of: device)
    let file = fileSentence(offer, of: device).map { " \($0)." } ?? ""
    let rows =
      match.candidates.map { application in
        common.because(
          hiding == nil, hiding?.word ?? "offered",
          hiding?.sentence ?? catalog.sentence(application, in: match) + file, application)
      } + match.refusals.map { common.because(false, $0.reason.word, $0.sentence, $0.application) }
    if let host = match.browserHost {
      let row = common.because(
        hiding == nil, hiding?.word ?? "browser",
        hiding?.sentence
          ?? "No application here continues \(offer.type.string): the default browser opens its page on \(host).")
      return [row] + rows
    }
    guard rows.isEmpty else { return rows }
    return [
      common.because(
        false, "no-application",
        "No application here declares \(offer.type.string), and \(offer.appID.string) is not installed.")
    ]
  }

  // MARK: Applications that offer nothing

  private func applications(_ subject: String) throws(SegueError) -> [AppID] {
    if let type = ActivityType(subject) {
      let claiming = catalog.index.applications(claiming: type).map { $0.appID }
      if !claiming.isEmpty { return claiming }
    }
    guard let id = AppID(subject) else {
      throw SegueError(
        .notFound, "No activity, activity type or application is called \(DisplayText.clean(subject)).",
        advice: "List what there is with: segue explain")
    }
    return [id]
  }

  /// How far an application without any offer has come.
  private func explain(_ id: AppID, _ refusal: SegueError?) -> Explanation {
    let application = catalog.application(id)
    let row = Explanation(appID: id, appName: application?.name ?? "")
    if let refusal, sessions.sessions(of: id).isEmpty {
      let isOver = refusal.code == .notFound && application != nil
      return row.because(
        false, "refused",
        "A program that says it is \(id.string) was refused"
          + (isOver ? ", since no desktop file declared it then. One does now: start it again." : ": \(refusal.line)"))
    }
    if application == nil {
      return row.because(
        false, "not-installed", "No desktop file here declares \(id.string) as an application that takes part.")
    }
    if !sessions.sessions(of: id).isEmpty {
      return row.because(false, "no-activity", "It is running, and has no current activity.")
    }
    return row.because(false, "not-connected", "It is not running, or has not registered with Segue.")
  }
}
