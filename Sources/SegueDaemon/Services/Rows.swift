import SegueControl
import SegueCore
import SegueEngine

// The engine's values as the rows that the control interface carries.

extension OfferRow {
  /// `device`: nil if it is not known. `age`: for a stored copy, the milliseconds since its state was saved.
  init(
    _ offer: Offer, _ match: OfferMatch, _ place: ListedOffer.Place, of device: DeviceID?, deviceName: String,
    age: UInt64
  ) {
    self.init()
    id = offer.id.hex
    revision = offer.revision
    type = offer.type.string
    appID = offer.appID.string
    webHost = offer.webHost
    title = offer.title
    let application = match.preferred ?? match.candidates.first
    appName = application?.name ?? ""
    localApp = application?.appID.string ?? ""
    candidates = match.candidates.map { $0.appID.string }
    needsChoice = match.needsChoice
    isForBrowser = match.browserHost != nil
    deviceID = device?.description ?? ""
    self.deviceName = deviceName
    isHere = place == .here
    self.age = age
    isStored = place == .kept || place == .device && offer.isSnapshot
    storedAge = place == .kept ? age : nil
  }
}

extension WebLinkRow {
  init(_ claim: WebLinkClaim) {
    self.init()
    domain = claim.claim.pattern
    appID = claim.application.appID.string
    appName = claim.application.name
    isOpening = claim.refusal == nil
    reason = claim.refusal?.word ?? ""
    sentence = claim.sentence ?? ""
  }
}

extension ExplanationRow {
  /// This row with the other device that it is about.
  func adding(_ verdict: LocalVerdict, device: DeviceID, name: String) -> ExplanationRow {
    var row = adding(verdict.isOffered, verdict.word, verdict.sentence(device: name))
    row.deviceName = name
    row.deviceID = device.description
    return row
  }
}
