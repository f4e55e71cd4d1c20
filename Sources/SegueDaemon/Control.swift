import SegueBus
import SegueCore
import SegueLink
import SegueState

// org.segue.Control1: what user interfaces ask.

extension Daemon {
  /// The object, for one audience. `admit` runs a method's body for callers that may control.
  func controlObject(
    withTitles: Bool, admit: @escaping (Invocation, @escaping () -> Void) -> Void
  ) -> BusObject {
    func method(
      _ name: String, in input: [BusArgument] = [], out output: [BusArgument] = [],
      _ body: @escaping ([BusValue], Invocation) throws(SegueError) -> Void
    ) -> BusMethod {
      BusMethod(name, in: input, out: output) { _, arguments, invocation in
        admit(invocation) {
          do throws(SegueError) {
            try body(arguments, invocation)
          } catch {
            invocation.fail(error)
          }
        }
      }
    }
    return BusObject([
      BusInterface(
        SegueAddress.controlInterface,
        methods: [
          method("GetStatus", out: [BusArgument("status", "a{sv}")]) { [self] _, invocation in
            invocation.reply([.dictionary(status)])
          },
          method("ListOffers", out: [BusArgument("offers", "aa{sv}")]) { [self] _, invocation in
            whenDialled { [self] in
              let here = offersHere.map { dictionary(of: $0, $1, withTitles) }
              invocation.reply([
                list(
                  shownRemoteOffers.map { dictionary(of: $0, withTitles) }
                    + keptOffers.map { dictionary(of: $0, withTitles) } + here)
              ])
            }
          },
          method("ListStored", out: [BusArgument("copies", "aa{sv}")]) { [self] _, invocation throws(SegueError) in
            invocation.reply([list(try storedCopies(withTitles: withTitles))])
          },
          method("ListActivities", out: [BusArgument("activities", "aa{sv}")]) { [self] _, invocation in
            invocation.reply([
              list(
                ownOffers.map { offer in
                  var dictionary = dictionary(of: offer, withTitles)
                  dictionary["app-name"] = .string(registry.application(offer.appID)?.name ?? "")
                  dictionary["withheld"] = .bool(settings.policy.withheld.contains(offer.appID))
                  return dictionary
                })
            ])
          },
          method(
            "Continue", in: [BusArgument("offer", "s"), BusArgument("options", "a{sv}")],
            out: [BusArgument("continuation", "s")]
          ) { [self] arguments, invocation throws(SegueError) in
            guard let id = arguments.first?.asString.flatMap({ Identifier(text: $0) }) else {
              throw Self.badOffer
            }
            let options = arguments.last?.asDictionary ?? BusDictionary()
            let application = try Self.application(options["app"])
            whenKnown(id) { [self] in
              choose(id, application: application, activationToken: options["activation-token"]?.asString) { outcome in
                switch outcome {
                case .success(let continuation): invocation.reply([.string(continuation.hex)])
                case .failure(let error): invocation.fail(error)
                }
              }
            }
          },
          method("Explain", in: [BusArgument("subject", "s")], out: [BusArgument("rows", "aa{sv}")]) {
            [self] arguments, invocation in
            whenDialled { [self] in
              do throws(SegueError) {
                invocation.reply([list(try explain(arguments.first?.asString ?? "", withTitles: withTitles))])
              } catch {
                invocation.fail(error)
              }
            }
          },
          method("GetLast", out: [BusArgument("continuation", "a{sv}")]) { [self] _, invocation in
            invocation.reply([.dictionary(last?.dictionary ?? [:])])
          },
          method(
            "CheckApplication", in: [BusArgument("file", "s")], out: [BusArgument("findings", "aa{sv}")]
          ) { [self] arguments, invocation throws(SegueError) in
            let findings = try ApplicationCheck(registry).findings(arguments.first?.asString ?? "")
            invocation.reply([list(findings.map { $0.dictionary })])
          },
          method("SetDefault", in: [BusArgument("type", "s"), BusArgument("app", "s")]) {
            [self] arguments, invocation throws(SegueError) in
            try setDefault(arguments)
            invocation.reply()
          },
          method("GetDefaults", out: [BusArgument("defaults", "a{ss}")]) { [self] _, invocation in
            invocation.reply([defaults.value])
          },
          method("ListDevices", out: [BusArgument("devices", "aa{sv}")]) { [self] _, invocation in
            whenDialled { [self] in invocation.reply([list(pins.devices.map { dictionary(of: $0) })]) }
          },
          method(
            "AddDevice",
            in: [BusArgument("id", "s"), BusArgument("name", "s"), BusArgument("addresses", "as")]
          ) { [self] arguments, invocation throws(SegueError) in
            try addDevice(arguments)
            invocation.reply()
          },
          method("RemoveDevice", in: [BusArgument("id", "s")]) { [self] arguments, invocation throws(SegueError) in
            guard let id = arguments.first?.asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
            try removeDevice(id)
            invocation.reply()
          },
        ],
        signals: [
          BusSignal("OffersChanged"), BusSignal("StoredChanged"), BusSignal("DevicesChanged"),
          BusSignal("ContinuationChanged", [BusArgument("continuation", "s"), BusArgument("state", "s")]),
        ])
    ])
  }

  private static let badOffer = SegueError(
    .invalidArgument, "This is no id of an offer: that has 32 hexadecimal digits, with or without a UUID's hyphens.",
    advice: "List what there is with: segue activities --json")
  private static let badDevice = SegueError(
    .invalidArgument, "This is no device id.", advice: "Copy what \"segue identity\" prints on the other device.")

  private func list(_ dictionaries: [BusDictionary]) -> BusValue {
    .array(elementSignature: "a{sv}", dictionaries.map { .dictionary($0) })
  }

  private var status: BusDictionary {
    [
      "version": .string(Version.string), "device-id": .string(identity.id.description),
      "device-name": .string(settings.deviceName), "addresses": .strings(addresses),
      "applications": .uint32(UInt32(clamping: Set(sessions.values.compactMap { $0.application?.appID }).count)),
      "installed": .uint32(UInt32(clamping: registry.index.count)),
      "devices": .uint32(UInt32(clamping: pins.devices.count)), "online": .uint32(UInt32(clamping: link.online.count)),
    ]
  }

  /// Where this device can be dialled: the ports that it really has, and for "everywhere" this machine's addresses.
  private var addresses: [String] {
    zip(settings.listen, link.ports).flatMap { text, port -> [String] in
      guard let host = LinkAddress(text)?.host else { return [] }
      let hosts = host == "0.0.0.0" ? Interfaces.addresses() : [host]
      return hosts.map { LinkAddress(host: $0, port: port).description }
    }
  }

  private func dictionary(of entry: RemoteOffers.Entry, _ withTitles: Bool) -> BusDictionary {
    var dictionary = dictionary(of: entry.offer, withTitles)
    describe(match(entry.offer), in: &dictionary)
    dictionary["device-id"] = .string(entry.device.description)
    dictionary["device-name"] = .string(name(of: entry.device))
    dictionary["here"] = .bool(false)
    dictionary["age"] = .uint64(Instant.now.time(since: entry.since))
    dictionary["stored"] = .bool(entry.offer.isSnapshot)
    return dictionary
  }

  /// What is kept of a device that is not there.
  private func dictionary(of copy: StoredCopy, _ withTitles: Bool) -> BusDictionary {
    var dictionary = dictionary(of: copy.offer, withTitles)
    describe(match(copy.offer), in: &dictionary)
    dictionary["device-id"] = .string(copy.device?.description ?? "")
    dictionary["device-name"] = .string(copy.device.map(name) ?? "")
    dictionary["here"] = .bool(false)
    let age = copy.age(at: secondsSince1970()) &* 1000
    dictionary["age"] = .uint64(age)
    dictionary["stored"] = .bool(true)
    dictionary["stored-age"] = .uint64(age)
    return dictionary
  }

  /// Of another application of this device, and who may continue it.
  private func dictionary(of offer: Offer, _ match: OfferMatch, _ withTitles: Bool) -> BusDictionary {
    var dictionary = dictionary(of: offer, withTitles)
    describe(match, in: &dictionary)
    dictionary["device-id"] = .string(identity.id.description)
    dictionary["device-name"] = .string(settings.deviceName)
    dictionary["here"] = .bool(true)
    let now = Instant.now
    dictionary["age"] = .uint64(now.time(since: local.entries[offer.id]?.started ?? now))
    return dictionary
  }

  private func dictionary(of offer: Offer, _ withTitles: Bool) -> BusDictionary {
    var dictionary: BusDictionary = [
      "id": .string(offer.id.hex), "revision": .uint64(offer.revision), "type": .string(offer.type.string),
      "app-id": .string(offer.appID.string),
    ]
    if let host = offer.webHost, withTitles { dictionary["web-host"] = .string(host) }
    if let title = offer.title, withTitles { dictionary["title"] = .string(title) }
    return dictionary
  }

  private func dictionary(of device: PairedDevice) -> BusDictionary {
    [
      "id": .string(device.id.description), "name": .string(name(of: device.id)),
      "addresses": .strings(device.addresses.map { $0.description }), "online": .bool(link.online[device.id] != nil),
    ]
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

extension ApplicationCheck.Finding {
  /// As the control interface says it.
  var dictionary: BusDictionary {
    ["severity": .string(severity.rawValue), "message": .string(message), "advice": .string(advice)]
  }
}
