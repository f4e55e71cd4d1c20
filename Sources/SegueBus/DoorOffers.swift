import SegueCore

// The offers that an application follows, on their way through the door.

/// Offers at the door, in the words of org.segue.DoorApplication1.xml.
public enum DoorOffers {
  public static func encode(_ offers: [ListedOffer], now: Instant) -> BusValue {
    .array(
      elementSignature: "a{sv}",
      offers.map { offer in
        var fields = BusFields()
        // Writing finds every attribute, so that it never throws.
        _ = try? carry(offer, &fields, now: now)
        return .dictionary(fields.dictionary)
      })
  }

  /// Throws where an attribute is missing, malformed or too long. Leaves out the offers past the limit for a list.
  public static func decode(_ value: BusValue?, now: Instant) throws(SegueError) -> [ListedOffer] {
    guard case .array(_, let elements)? = value else {
      throw SegueError(.protocolViolation, "This is not a list of offers.")
    }
    var offers: [ListedOffer] = []
    for element in elements.prefix(Limits.offersPerApplication) {
      var fields = BusFields(reading: element.asDictionary ?? BusDictionary())
      offers.append(try carry(nil, &fields, now: now))
    }
    return offers
  }

  private static func carry(
    _ own: ListedOffer?, _ fields: inout BusFields, now: Instant
  ) throws(SegueError) -> ListedOffer {
    let device = try fields.text("device", own?.id.device, Limits.nameLength)
    let activity = fields("activity", own?.id.activity)
    let type = fields("type", own?.type)
    let appID = fields("app-id", own?.appID)
    guard let device, let activity, let type, let appID else {
      throw SegueError(.protocolViolation, "An offer needs a device, an id, a type and an application.")
    }
    let appName = try fields.text("app-name", own?.appName, Limits.titleMaximum) ?? ""
    let deviceName = try fields.text("device-name", own?.deviceName, Limits.titleMaximum) ?? ""
    let isHere = fields("here", own.map { $0.place == .here }, or: false)
    let isKept = fields("kept", own.map { $0.place == .kept }, or: false)
    let isStored = fields("stored", own?.isStored, or: false)
    // The other end's clock is another one: what crosses is the age.
    let age = fields("age", own.map { now.time(since: $0.since) }, or: 0)
    return ListedOffer(
      id: ListedOffer.ID(device: device, activity: activity), type: type,
      title: try fields.text("title", own?.title, Limits.titleMaximum),
      webHost: try fields.text("web-host", own?.webHost, Limits.nameLength), appID: appID, appName: appName,
      deviceName: deviceName, place: isHere ? .here : isKept ? .kept : .device, isStored: isStored, since: now - age)
  }
}
