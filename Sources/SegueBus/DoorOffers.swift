import SegueCore

// The offers that an application follows, on their way through the door.

/// Offers at the door, in the words of org.segue.DoorApplication1.xml.
public enum DoorOffers {
  public static func encode(_ offers: [ListedOffer], now: Instant) -> BusValue {
    .array(elementSignature: "a{sv}", offers.map { .dictionary(dictionary(of: $0, now: now)) })
  }

  private static func dictionary(of offer: ListedOffer, now: Instant) -> BusDictionary {
    var dictionary: BusDictionary = [
      "device": .string(offer.id.device), "activity": .string(offer.id.activity.hex),
      "type": .string(offer.type.string), "app-id": .string(offer.appID.string), "app-name": .string(offer.appName),
      "device-name": .string(offer.deviceName), "here": .bool(offer.place == .here),
      "kept": .bool(offer.place == .kept), "stored": .bool(offer.isStored),
      "age": .uint64(now.time(since: offer.since)),
    ]
    if let title = offer.title { dictionary["title"] = .string(title) }
    if let host = offer.webHost { dictionary["web-host"] = .string(host) }
    return dictionary
  }

  /// Throws where an attribute is missing, malformed or too long. Leaves out the offers past the limit for a list.
  public static func decode(_ value: BusValue?, now: Instant) throws(SegueError) -> [ListedOffer] {
    guard case .array(_, let elements)? = value else {
      throw SegueError(.protocolViolation, "This is no list of offers.")
    }
    var offers: [ListedOffer] = []
    for element in elements.prefix(Limits.offersPerApplication) {
      offers.append(try offer(element.asDictionary ?? BusDictionary(), now: now))
    }
    return offers
  }

  private static func offer(_ dictionary: BusDictionary, now: Instant) throws(SegueError) -> ListedOffer {
    guard let device = try bounded(dictionary["device"], Limits.nameLength),
      let activity = dictionary["activity"]?.asString.flatMap({ Identifier(hex: $0) }),
      let type = dictionary["type"]?.asString.flatMap({ ActivityType($0) }),
      let appID = dictionary["app-id"]?.asString.flatMap({ AppID($0) })
    else { throw SegueError(.protocolViolation, "An offer needs a device, an id, a type and an application.") }
    let age = dictionary["age"]?.asUInt64 ?? 0
    return ListedOffer(
      id: ListedOffer.ID(device: device, activity: activity), type: type,
      title: try bounded(dictionary["title"], Limits.titleMaximum),
      webHost: try bounded(dictionary["web-host"], Limits.nameLength), appID: appID,
      appName: try bounded(dictionary["app-name"], Limits.titleMaximum) ?? "",
      deviceName: try bounded(dictionary["device-name"], Limits.titleMaximum) ?? "",
      place: dictionary["here"]?.asBool ?? false ? .here : dictionary["kept"]?.asBool ?? false ? .kept : .device,
      isStored: dictionary["stored"]?.asBool ?? false, since: now - age)
  }
}
