import SegueControl
import SegueCore
import SegueEngine

// The engine's values as the rows that the control interface carries.

extension OfferRow {
  /// `age`: for a stored copy, the milliseconds since its state was saved.
  init(_ listed: Listed, age: UInt64) {
    let (offer, match, place) = (listed.offer, listed.match, listed.place)
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
    deviceID = listed.device.description
    deviceName = listed.deviceName
    isHere = place == .here
    self.age = age
    isStored = place == .kept || place == .device && offer.isSnapshot
    storedAge = place == .kept ? age : nil
    file = listed.file?.rawValue
    fileSentence = listed.file?.sentence(device: listed.deviceName).map { "\($0)." }
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
