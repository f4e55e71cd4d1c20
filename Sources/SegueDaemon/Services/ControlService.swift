import SegueBus
import SegueControl
import SegueCore
import SegueEngine
import SegueState

/// org.segue.Control1: what user interfaces ask, and what they are told.
final class ControlService {
  let runner: EngineRunner
  let replies: Replies
  private let applications: ApplicationService
  private let devices: DeviceService
  private let associations: AssociationService
  private let browser: BrowserService
  let sharing: SharingService
  let phones: PhoneService
  /// Why applications were refused at the door.
  private let refusals: () -> [AppID: SegueError]

  init(
    runner: EngineRunner, replies: Replies, applications: ApplicationService, devices: DeviceService,
    associations: AssociationService, browser: BrowserService, sharing: SharingService, phones: PhoneService,
    refusals: @escaping () -> [AppID: SegueError]
  ) {
    self.runner = runner
    self.replies = replies
    self.applications = applications
    self.devices = devices
    self.associations = associations
    self.browser = browser
    self.sharing = sharing
    self.phones = phones
    self.refusals = refusals
  }

  /// Makes the object for the bus, or for the door. `admit` runs a method's body if the caller may control.
  /// `withTitles`: whether titles may be sent, because no other process can listen. `openers`: the applications that
  /// the caller belongs to. `holder`: the caller, if it shows a pairing, which ends when the caller leaves.
  func object(
    withTitles: Bool, openers: @escaping () -> Set<AppID> = { [] }, holder: @escaping (Invocation) -> PairingHolder?,
    admit: @escaping (Invocation, @escaping () -> Void) -> Void
  ) -> BusObject {
    // Each application has it until it registers, and does not ask it anything.
    BusObject(lazily: { [self] in
      let methods = ControlMethod.allCases.map { method in
        BusMethod(method.rawValue, in: method.input, out: method.output) { [self] arguments, invocation in
          admit(invocation) { [self] in
            do throws(SegueError) {
              try call(method, arguments, invocation, withTitles, openers, holder)
            } catch {
              invocation.fail(error)
            }
          }
        }
      }
      return [BusInterface(SegueAddress.controlInterface, methods: methods, signals: ControlSignal.declared)]
    })
  }

  // MARK: The methods

  private func call(
    _ method: ControlMethod, _ arguments: [BusValue], _ invocation: Invocation, _ withTitles: Bool,
    _ openers: () -> Set<AppID>, _ holder: (Invocation) -> PairingHolder?
  ) throws(SegueError) {
    func list<Row: ControlValue>(_ rows: [Row]) {
      guard !withTitles else { return invocation.reply([rows.busValue]) }
      let concealed = rows.map { row in
        var row = row
        row.conceal()
        return row
      }
      invocation.reply([concealed.busValue])
    }
    switch method {
    case .getStatus: invocation.reply([status.busValue])
    case .listOffers: whenDialled { [self] in list(offers) }
    case .listStored: whenDialled { [self] in list(stored) }
    case .listActivities: list(activities)
    case .listDevices: whenDialled { [self] in list(devices.rows(runner)) }
    case .continue: try choose(arguments, invocation)
    case .explain:
      whenDialled { [self] in
        do throws(SegueError) {
          list(try explain(arguments.first?.asString ?? ""))
        } catch {
          invocation.fail(error)
        }
      }
    case .getLast: invocation.reply([.dictionary(last?.dictionary ?? [:])])
    case .checkApplication:
      let check = ApplicationCheck(applications.registry, teams: applications.teams.records)
      list(try check.findings(arguments.first?.asString ?? ""))
    case .setDefault:
      try setDefault(arguments, done: invocation.end)
    case .getDefaults: invocation.reply([DefaultChoices.encode(applications.chosen)])
    case .openLink: try openLink(arguments, by: openers(), invocation)
    case .listLinks:
      list(runner.ask { engine, moment in engine.linkClaims(at: moment).map { WebLinkRow($0) } })
    case .keepLinks:
      try keepLinks(arguments, done: invocation.end)
    case .setPause, .setPauseHere, .withholdApplication, .withholdFromDevice:
      try share(method, arguments, done: invocation.end)
    case .addDevice: try devices.add(arguments, done: invocation.end)
    case .removeDevice: try devices.remove(arguments, done: invocation.end)
    case .renameDevice: try devices.rename(arguments, done: invocation.end)
    case .setReceiving: try devices.receive(arguments, done: invocation.end)
    case .send:
      if let phone = arguments.first?.asString.flatMap({ PhoneID($0) }) {
        try send(arguments, to: phone, invocation)
      } else {
        try send(arguments, invocation)
      }
    case .listPhones: phones.list { list($0) }
    case .listTexts: list(texts)
    case .pair, .renewPairing, .typeDigits, .confirmPairing, .endPairing:
      let caller = method == .pair || method == .renewPairing ? holder(invocation) : nil
      guard let call = try Event.PairingCall(method, arguments, by: caller) else { return }
      // They may have changed, and go into a code.
      if method == .pair { devices.tellAddresses() }
      let request = replies.expect { reply, _ in
        if case .failed(let error) = reply { invocation.fail(error) } else { invocation.reply() }
      }
      runner.handle(.control(request, .pairing(call)))
    case .getPairing:
      var row = PairingRow(runner.engine.pairingState, addresses: runner.engine.ownAddresses)
      row.isFound = row.state == .open && row.code == nil && runner.engine.discoveryState == .on
      if !withTitles { row.conceal() }
      invocation.reply([row.busValue])
    case .introduce, .acceptIntroduction, .declineIntroduction:
      guard let call = try Event.IntroductionCall(method, arguments) else { return }
      let request = replies.expect { reply, _ in
        if case .failed(let error) = reply { invocation.fail(error) } else { invocation.reply() }
      }
      runner.handle(.control(request, .introduction(call)))
    case .listContinuations: list(runner.engine.continuationsOnTheirWay.map { ContinuationRow($0) })
    case .listTransfers: list(runner.engine.transfers.map { TransferRow($0) })
    case .cancelContinuation, .stopTransfer: try end(method, arguments.first?.asString ?? "", done: invocation.end)
    case .listIntroductions: list(runner.engine.pendingIntroductions.map { IntroductionRow($0, by: $1) })
    }
  }

  /// Runs `body` when the other devices have said what they have on offer, or the first dials after the start are over.
  private func whenDialled(_ body: @escaping () -> Void) {
    runner.handle(.control(replies.expect { _, _ in body() }, .awaitDials))
  }

  private func choose(_ arguments: [BusValue], _ invocation: Invocation) throws(SegueError) {
    guard let id = arguments.first?.asString.flatMap({ Identifier(text: $0) }) else {
      throw SegueError(
        .invalidArgument,
        "This is not an offer's id: that has 32 hexadecimal digits, with or without a UUID's hyphens.",
        advice: "List what there is with: segue activities --json")
    }
    let options = try ContinueOptions(arguments.last?.asDictionary ?? BusDictionary())
    let application = try options.app.map { name throws(SegueError) in try Self.application(name) }
    let device = try options.device.map { text throws(SegueError) in
      guard let device = DeviceID(recorded: text) else {
        throw SegueError(
          .invalidArgument, "This is not a device's id.", advice: "List the devices with: segue devices --json")
      }
      return device
    }
    let request = replies.expect { reply, _ in
      switch reply {
      case .continuation(let continuation): invocation.reply([.string(continuation.hex)])
      case .failed(let error): invocation.fail(error)
      case .done, .begun, .claimed, .state, .stream, .file, .link, .page: invocation.reply()
      }
    }
    runner.handle(.control(request, .choose(id, of: device, application, activationToken: options.activationToken)))
  }

  /// Right after the daemon's start it waits for the other devices, as a listing does.
  private func send(_ arguments: [BusValue], _ invocation: Invocation) throws(SegueError) {
    let call = try Event.ControlCall.send(arguments)
    whenDialled { [self] in
      let request = replies.expect { reply, _ in
        if case .failed(let error) = reply { invocation.fail(error) } else { invocation.reply() }
      }
      runner.handle(.control(request, call))
    }
  }

  private func setDefault(
    _ arguments: [BusValue], done: @escaping (SegueError?) -> Void
  ) throws(SegueError) {
    guard let type = arguments.first?.asString.flatMap({ ActivityType($0) }) else {
      throw SegueError(
        .invalidArgument, "This is not an activity type.", advice: "An activity type looks like org.example.editing.")
    }
    var id: AppID?
    if let name = arguments.last?.asString, !name.isEmpty { id = try Self.application(name) }
    try applications.setDefault(type, to: id, done: done)
  }

  private func openLink(
    _ arguments: [BusValue], by openers: Set<AppID>, _ invocation: Invocation
  ) throws(SegueError) {
    guard let url = arguments.first?.asString.flatMap({ WebURL($0) }) else {
      throw SegueError(
        .invalidArgument, "This is not the URL of a web page.", advice: "One looks like https://example.com/page.")
    }
    let options = try WebLinkOptions(arguments.last?.asDictionary ?? BusDictionary())
    let isInBrowser = options.isInBrowser == true
    let request = replies.expect { [browser] reply, _ in
      if case .link(let application?) = reply { return invocation.reply([.string(application.string)]) }
      guard !isInBrowser else { return invocation.reply([.string("")]) }
      browser.open(url) { error in
        if let error { invocation.fail(error) } else { invocation.reply([.string("")]) }
      }
    }
    let link = associations.link(to: url, by: openers, applications.registry.index)
    runner.handle(
      .control(request, .openLink(link, activationToken: options.activationToken, isInBrowser: isInBrowser)))
  }

  private func keepLinks(
    _ arguments: [BusValue], done: @escaping (SegueError?) -> Void
  ) throws(SegueError) {
    guard let domain = arguments.first?.asString.flatMap({ DomainName($0) }), case .bool(let kept)? = arguments.last
    else {
      throw SegueError(.invalidArgument, "This is not a domain.", advice: "One looks like example.com.")
    }
    applications.keepLinks(to: domain, kept, done: done)
  }

  /// The application that an argument names.
  static func application(_ name: String) throws(SegueError) -> AppID {
    guard let id = AppID(name) else {
      throw SegueError(
        .invalidArgument, "This is not an application id.", advice: "An application id looks like org.example.Editor.")
    }
    return id
  }

  // MARK: Rows

  private var status: DaemonStatus {
    var status = devices.status(runner)
    status.version = Version.string
    status.connected = UInt32(clamping: runner.engine.applicationCount)
    status.opensLinks = applications.opensLinks
    status.installed = UInt32(clamping: applications.registry.index.count)
    status.carry(runner.engine.sharing)
    return status
  }

  private var offers: [OfferRow] {
    runner.ask { engine, moment in
      engine.list(at: moment).map { listed in
        OfferRow(listed, age: moment.instant.time(since: listed.since) + listed.before)
      }
    }
  }

  private var activities: [ActivityRow] {
    runner.ask { engine, moment in
      engine.activities(at: moment).map { ActivityRow($0.offer, appName: $0.appName, isWithheld: $0.isWithheld) }
    }
  }

  private var stored: [StoredRow] {
    runner.ask { engine, moment in
      engine.storedCopies(at: moment).map {
        StoredRow($0.copy, appName: $0.appName, deviceName: $0.deviceName, now: moment.seconds)
      }
    }
  }

  private var texts: [TextRow] {
    runner.ask { engine, moment in
      engine.receivedTexts.map { TextRow($0.text, deviceName: $0.deviceName, at: moment) }
    }
  }

  private var last: LastContinuation? {
    runner.engine.last.map {
      LastContinuation(
        $0.id, of: $0.offer, appName: $0.takerName, deviceName: $0.deviceName, times: $0.times, size: $0.size,
        error: $0.error)
    }
  }

  private func explain(_ subject: String) throws(SegueError) -> [ExplanationRow] {
    let refusals = refusals()
    if let url = WebURL(subject) {
      let link = associations.link(to: url, applications.registry.index)
      return runner.ask { engine, moment in engine.explain(link, at: moment).map { ExplanationRow($0) } }
    }
    return try runner.ask { engine, moment throws(SegueError) in
      try engine.explain(subject, refusals: refusals, at: moment).map { ExplanationRow($0) }
    }
  }
}

extension Invocation {
  /// Replies that it is done, or has failed.
  fileprivate func end(_ error: SegueError?) {
    if let error { fail(error) } else { reply() }
  }
}

extension ExplanationRow {
  /// As the control interface says it.
  init(_ explanation: Explanation) {
    self.init(explanation.appID, appName: explanation.appName)
    id = explanation.activity?.hex
    type = explanation.type?.string
    title = explanation.title
    currentReason = explanation.currentReason
    warning = explanation.warning
    if let origin = explanation.origin {
      deviceID = origin.description
      from = explanation.deviceName
    } else {
      deviceID = explanation.receiver?.description
      deviceName = explanation.deviceName
    }
    isOffered = explanation.isOffered
    reason = explanation.reason
    sentence = explanation.sentence
    localApp = explanation.localApplication?.string
  }
}

extension Effect.Signal {
  /// As the control interface says it.
  var control: ControlSignal {
    switch self {
    case .offersChanged: .offers
    case .storedChanged: .stored
    case .devicesChanged: .devices
    case .pairingChanged: .pairing
    case .introductionsChanged: .introductions
    case .linksChanged: .links
    case .transfersChanged: .transfers
    case .continuationChanged(let id, let state): .continuation(id: id.hex, state: state)
    }
  }
}
