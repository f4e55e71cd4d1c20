import SegueBus
import SegueControl
import SegueCore
import SegueLink
import SegueState

// org.segue.Control1: what user interfaces ask.

extension Daemon {
  /// The object, for one audience. `admit` runs a method's body for callers that may control. `withTitles`: nobody can
  /// listen.
  func controlObject(
    withTitles: Bool, admit: @escaping (Invocation, @escaping () -> Void) -> Void
  ) -> BusObject {
    func method(
      _ method: ControlMethod, _ body: @escaping ([BusValue], Invocation) throws(SegueError) -> Void
    ) -> BusMethod {
      BusMethod(method.rawValue, in: method.input, out: method.output) { _, arguments, invocation in
        admit(invocation) {
          do throws(SegueError) {
            try body(arguments, invocation)
          } catch {
            invocation.fail(error)
          }
        }
      }
    }
    func list<Row: ControlValue>(_ rows: [Row]) -> BusValue {
      guard !withTitles else { return rows.busValue }
      return rows.map { row in
        var row = row
        row.conceal()
        return row
      }.busValue
    }
    return BusObject([
      BusInterface(
        SegueAddress.controlInterface,
        methods: [
          method(.getStatus) { [self] _, invocation in
            invocation.reply([status.busValue])
          },
          method(.listOffers) { [self] _, invocation in
            whenDialled { [self] in
              invocation.reply([
                list(shownRemoteOffers.map { row($0) } + keptOffers.map { row($0) } + offersHere.map { row($0, $1) })
              ])
            }
          },
          method(.listStored) { [self] _, invocation throws(SegueError) in
            invocation.reply([list(try storedCopies())])
          },
          method(.listActivities) { [self] _, invocation in
            invocation.reply([
              list(
                ownOffers.map { offer in
                  ActivityRow(
                    offer, appName: registry.application(offer.appID)?.name ?? "",
                    isWithheld: settings.policy.withheld.contains(offer.appID))
                })
            ])
          },
          method(.continue) { [self] arguments, invocation throws(SegueError) in
            guard let id = arguments.first?.asString.flatMap({ Identifier(text: $0) }) else {
              throw Self.badOffer
            }
            let options = try ContinueOptions(arguments.last?.asDictionary ?? BusDictionary())
            let application = try options.app.map { name throws(SegueError) in try Self.application(name) }
            whenKnown(id) { [self] in
              choose(id, application: application, activationToken: options.activationToken) { outcome in
                switch outcome {
                case .success(let continuation): invocation.reply([.string(continuation.hex)])
                case .failure(let error): invocation.fail(error)
                }
              }
            }
          },
          method(.explain) { [self] arguments, invocation in
            whenDialled { [self] in
              do throws(SegueError) {
                invocation.reply([list(try explain(arguments.first?.asString ?? ""))])
              } catch {
                invocation.fail(error)
              }
            }
          },
          method(.getLast) { [self] _, invocation in
            invocation.reply([.dictionary(last?.dictionary ?? [:])])
          },
          method(.checkApplication) { [self] arguments, invocation throws(SegueError) in
            let findings = try ApplicationCheck(registry).findings(arguments.first?.asString ?? "")
            invocation.reply([list(findings)])
          },
          method(.setDefault) { [self] arguments, invocation throws(SegueError) in
            try setDefault(arguments)
            invocation.reply()
          },
          method(.getDefaults) { [self] _, invocation in
            invocation.reply([DefaultChoices.encode(defaults.applications)])
          },
          method(.listDevices) { [self] _, invocation in
            whenDialled { [self] in invocation.reply([list(pins.devices.map { row($0) })]) }
          },
          method(.addDevice) { [self] arguments, invocation throws(SegueError) in
            try addDevice(arguments)
            invocation.reply()
          },
          method(.removeDevice) { [self] arguments, invocation throws(SegueError) in
            guard let id = arguments.first?.asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
            try removeDevice(id)
            invocation.reply()
          },
        ],
        signals: ControlSignal.declared)
    ])
  }

  private static let badOffer = SegueError(
    .invalidArgument, "This is no id of an offer: that has 32 hexadecimal digits, with or without a UUID's hyphens.",
    advice: "List what there is with: segue activities --json")
  private static let badDevice = SegueError(
    .invalidArgument, "This is no device id.", advice: "Copy what \"segue identity\" prints on the other device.")

  private var status: DaemonStatus {
    var status = DaemonStatus()
    status.version = Version.string
    status.deviceID = identity.id.description
    status.deviceName = settings.deviceName
    status.addresses = addresses
    status.connected = UInt32(clamping: Set(sessions.values.compactMap { $0.application?.appID }).count)
    status.installed = UInt32(clamping: registry.index.count)
    status.devices = UInt32(clamping: pins.devices.count)
    status.online = UInt32(clamping: link.online.count)
    return status
  }

  /// Where this device can be dialled: the ports that it really has, and for "everywhere" this machine's addresses.
  private var addresses: [String] {
    zip(settings.listen, link.ports).flatMap { text, port -> [String] in
      guard let host = LinkAddress(text)?.host else { return [] }
      let hosts = host == "0.0.0.0" ? Interfaces.addresses() : [host]
      return hosts.map { LinkAddress(host: $0, port: port).description }
    }
  }

  private func row(_ entry: RemoteOffers.Entry) -> OfferRow {
    OfferRow(
      entry.offer, match(entry.offer), .device, of: entry.device, deviceName: name(of: entry.device),
      age: Instant.now.time(since: entry.since))
  }

  private func row(_ copy: StoredCopy) -> OfferRow {
    OfferRow(
      copy.offer, match(copy.offer), .kept, of: copy.device, deviceName: copy.device.map(name) ?? "",
      age: copy.age(at: secondsSince1970()) &* 1000)
  }

  private func row(_ offer: Offer, _ match: OfferMatch) -> OfferRow {
    let now = Instant.now
    return OfferRow(
      offer, match, .here, of: identity.id, deviceName: settings.deviceName,
      age: now.time(since: local.entries[offer.id]?.started ?? now))
  }

  private func row(_ device: PairedDevice) -> DeviceRow {
    DeviceRow(
      id: device.id, name: name(of: device.id), addresses: device.addresses.map { $0.description },
      isOnline: link.online[device.id] != nil)
  }

  private func addDevice(_ arguments: [BusValue]) throws(SegueError) {
    guard arguments.count == 3, let id = arguments[0].asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
    guard id != identity.id else {
      throw SegueError(.invalidArgument, "This is this device's own id.", advice: "Use the other device's.")
    }
    let name = DisplayText.clean(arguments[1].asString ?? "", maximum: Limits.titleAdvised)
    var addresses: [LinkAddress] = []
    for text in arguments[2].asStrings ?? [] {
      guard let address = LinkAddress(text) else {
        throw SegueError(
          .invalidArgument, "\"\(text)\" is no address.", advice: "Write host:port, or [host]:port for IPv6.")
      }
      addresses.append(address)
    }
    try pins.add(PairedDevice(id: id, name: name, addresses: addresses, added: secondsSince1970()))
    link.setPeers()
    devicesChanged()
  }

  private func removeDevice(_ id: DeviceID) throws(SegueError) {
    guard pins.devices.contains(where: { $0.id == id }) else {
      throw SegueError(.notFound, "There is no such device.", advice: "List them with: segue devices")
    }
    try pins.remove(id)
    link.setPeers()
    unpaired(id)
    devicesChanged()
  }
}
