import SegueControl
import SegueCore
import SegueLink

// Why something is offered, or is not (semantics X1).

extension Daemon {
  /// A row for each activity of this device and paired device, and for each offer of another one and application here.
  /// `subject`: "" for all, or the start of an id, an activity type or an application id.
  func explain(_ subject: String) throws(SegueError) -> [ExplanationRow] {
    guard subject.utf8.count <= Limits.nameLength else {
      throw SegueError(.invalidArgument, "This is neither an activity's id, nor an activity type or an application id.")
    }
    let start = Identifier(text: subject)?.hex ?? subject.lowercased()
    let wanted = { (id: Identifier, type: ActivityType, app: AppID) in
      subject.isEmpty || id.hex.hasPrefix(start) || type.string == subject || app.string == subject
    }
    var rows: [ExplanationRow] = []
    let entries = local.entries.values.sorted { $0.since > $1.since }
    for entry in entries where wanted(entry.activity.id, entry.activity.type, entry.appID) {
      rows += explain(entry)
    }
    for entry in remote.all where wanted(entry.offer.id, entry.offer.type, entry.offer.appID) {
      rows += explain(entry.offer, from: entry.device)
    }
    for copy in keptOffers where wanted(copy.offer.id, copy.offer.type, copy.offer.appID) {
      if let device = copy.device { rows += explain(copy.offer, from: device) }
    }
    if rows.isEmpty, !subject.isEmpty { rows = try applications(subject).map { explain($0) } }
    return rows
  }

  // MARK: What this device's applications do

  private func explain(_ entry: LocalOffers.Entry) -> [ExplanationRow] {
    var common = ExplanationRow(
      entry.activity, of: entry.appID, appName: registry.application(entry.appID)?.name ?? "")
    common.warning = Self.sizeWarning(entry.snapshot)
    let isWithheld = settings.policy.withheld.contains(entry.appID)
    let verdict = isWithheld ? .withheld : local.verdict(of: entry)
    // What it was current for says nothing of one that is not any more.
    if local.isCurrent(entry) { common.currentReason = entry.activity.reason.map { DisplayText.clean($0) } }
    let rows = pins.devices.map { device in
      let isOffered = verdict.isOffered
      return common.adding(
        isOffered && link.online[device.id] == nil ? .offline : verdict, device: device.id, name: name(of: device.id))
    }
    let here = explainHere(entry, common)
    guard rows.isEmpty else { return rows + here }
    return [common.adding(false, "unpaired", "No device is paired with this one.")] + here
  }

  /// Whether another application of this device may continue it (semantics V19).
  private func explainHere(_ entry: LocalOffers.Entry, _ common: ExplanationRow) -> [ExplanationRow] {
    guard let offer = ownOffers.first(where: { $0.id == entry.activity.id }) else { return [] }
    let match = match(offer, isHere: true)
    let refusals = match.refusals.filter { $0.reason != .ownActivity }
    return match.candidates.map { common.adding(true, "offered", "\($0.name) can continue it here.", application: $0) }
      + refusals.map { refusal in
        common.adding(
          false, refusal.reason.word, refusal.reason.sentence(refusal.application, offer),
          application: refusal.application)
      }
  }

  /// A userInfo that is larger than advised (semantics E4), as it was last saved.
  private static func sizeWarning(_ snapshot: Snapshot?) -> String? {
    guard let snapshot, snapshot.userInfo.count > Limits.userInfoAdvised,
      let value = try? CBOR.decode(snapshot.userInfo),
      let encoded = try? CBOR.encode(userInfo: value)
    else { return nil }
    return "Its userInfo takes \(snapshot.userInfo.count) bytes\(encoded.largestInSentence); "
      + "up to \(Limits.userInfoAdvised) is advised."
  }

  // MARK: What other devices offer

  private func explain(_ offer: Offer, from device: DeviceID) -> [ExplanationRow] {
    let match = match(offer)
    let common = ExplanationRow(
      offer, from: device, deviceName: name(of: device), appName: registry.application(offer.appID)?.name ?? "")
    let hiding = hiding(offer, from: .device(device))
    var rows = match.candidates.map { application in
      common.adding(
        hiding == nil, hiding?.word ?? "offered", hiding?.sentence ?? "\(application.name) can continue it here.",
        application: application)
    }
    rows += match.refusals.map { refusal in
      common.adding(
        false, refusal.reason.word, refusal.reason.sentence(refusal.application, offer),
        application: refusal.application)
    }
    guard rows.isEmpty else { return rows }
    return [
      common.adding(
        false, "no-application",
        "No application here declares \(offer.type.string), and \(offer.appID.string) is not installed.")
    ]
  }

  // MARK: Applications that offer nothing

  private func applications(_ subject: String) throws(SegueError) -> [AppID] {
    if let type = ActivityType(subject) {
      let claiming = registry.applications(claiming: type).map { $0.appID }
      if !claiming.isEmpty { return claiming }
    }
    guard let id = AppID(subject) else {
      throw SegueError(
        .notFound, "No activity, activity type or application is called \(DisplayText.clean(subject)).",
        advice: "List what there is with: segue explain")
    }
    return [id]
  }

  /// How far an application has come that has nothing on offer.
  private func explain(_ id: AppID) -> ExplanationRow {
    let application = registry.application(id)
    let sentence: (word: String, text: String)
    if application == nil {
      sentence = ("not-installed", "No desktop file here declares \(id.string) as an application that takes part.")
    } else if sessions.values.contains(where: { $0.application?.appID == id }) {
      sentence = ("no-activity", "It runs, and has no current activity.")
    } else if let refusal = refusals.last(where: { $0.appID == id })?.error {
      sentence = ("refused", "It was refused: \(refusal.message).")
    } else {
      sentence = ("not-connected", "It does not run, or has not registered with Segue.")
    }
    return ExplanationRow(id, appName: application?.name ?? "").adding(false, sentence.word, sentence.text)
  }
}
