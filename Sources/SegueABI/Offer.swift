import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/offer.h

@c @implementation public func segue_offer_ref(
  _ offer: UnsafeMutablePointer<segue_offer>
)
  -> UnsafeMutablePointer<segue_offer>
{ reference(offer) }

@c @implementation public func segue_offer_unref(
  _ offer: UnsafeMutablePointer<segue_offer>?
)
  -> UnsafeMutablePointer<segue_offer>?
{ unreference(offer) }

/// An offer keeps its content for its own lifetime, even after its application is gone.
private func live(_ offer: UnsafePointer<segue_offer>) -> OfferHandle? {
  guard let offer = object(offer), !offer.isBehindFork else { return nil }
  return offer
}

@c @implementation public func segue_offer_get_id(_ offer: UnsafePointer<segue_offer>) -> UnsafePointer<CChar> {
  live(offer)?.idText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_get_activity_type(
  _ offer: UnsafePointer<segue_offer>
) -> UnsafePointer<CChar> {
  live(offer)?.typeText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_get_title(_ offer: UnsafePointer<segue_offer>) -> UnsafePointer<CChar> {
  live(offer)?.titleText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_get_web_host(_ offer: UnsafePointer<segue_offer>) -> UnsafePointer<CChar> {
  live(offer)?.webHostText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_get_app_id(_ offer: UnsafePointer<segue_offer>) -> UnsafePointer<CChar> {
  live(offer)?.appIDText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_get_app_name(_ offer: UnsafePointer<segue_offer>) -> UnsafePointer<CChar> {
  live(offer)?.appNameText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_get_device_id(_ offer: UnsafePointer<segue_offer>) -> UnsafePointer<CChar> {
  live(offer)?.deviceText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_get_device_name(_ offer: UnsafePointer<segue_offer>) -> UnsafePointer<CChar>
{
  live(offer)?.deviceNameText.pointer ?? staticText("")
}

@c @implementation public func segue_offer_is_here(_ offer: UnsafePointer<segue_offer>) -> Bool {
  live(offer)?.isHere ?? false
}

@c @implementation public func segue_offer_is_stored(_ offer: UnsafePointer<segue_offer>) -> Bool {
  live(offer)?.isStored ?? false
}

@c @implementation public func segue_offer_get_age(
  _ offer: UnsafePointer<segue_offer>, _ out_milliseconds: UnsafeMutablePointer<UInt64>
) -> Int32 {
  guard let offer = object(offer), !isMissing(out_milliseconds) else { return Refusal.badHandle }
  guard !offer.isBehindFork else { return Refusal.afterFork }
  out_milliseconds.pointee = offer.age
  return 0
}

@c @implementation public func segue_offer_continue(
  _ offer: UnsafeMutablePointer<segue_offer>, _ activation_token: UnsafePointer<CChar>?,
  _ completion: segue_completion_function?, _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard let offer = object(offer) else { return Refusal.badHandle }
  let application = offer.application
  return call(application, .applicationThread) { () throws(SegueError) in
    try application.choose(offer, activationToken: try optionalText(activation_token)) {
      complete(completion, userdata, application, $0)
    }
    return 0
  }
}
