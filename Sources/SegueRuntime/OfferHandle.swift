import SegueBus
import SegueCore

/// An offer that the application may continue, with a handle for C. It never changes.
public final class OfferHandle: Handle, @unchecked Sendable {
  public let application: Application
  let offer: ListedOffer
  public let idText: CText
  public let typeText: CText
  public let titleText: CText
  public let webHostText: CText
  public let appIDText: CText
  public let appNameText: CText
  public let deviceText: CText
  public let deviceNameText: CText

  init(_ offer: ListedOffer, of application: Application) {
    self.application = application
    self.offer = offer
    idText = CText(offer.id.text)
    typeText = CText(offer.type.string)
    titleText = CText(offer.title ?? "")
    webHostText = CText(offer.webHost ?? "")
    appIDText = CText(offer.appID.string)
    appNameText = CText(offer.appName)
    deviceText = CText(offer.id.device)
    deviceNameText = CText(offer.deviceName)
    super.init(kind: .offer, external: 0)
  }

  public var isHere: Bool { offer.place == .here }
  public var isStored: Bool { offer.isStored }

  /// Milliseconds since it was first seen on this device, or since its stored copy was saved.
  public var age: UInt64 { Instant.now.time(since: offer.since) }
}
