import CSegue
import SegueCore
import SegueRuntime

// include/segue/application.h: what the application may continue.

@c @implementation public func segue_application_copy_offers(
  _ application: UnsafeMutablePointer<segue_application>,
  _ out_offers: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<segue_offer>>?>,
  _ out_count: UnsafeMutablePointer<Int>
) -> Int32 {
  guard let application = object(application)?.application, !isMissing(out_offers), !isMissing(out_count) else {
    return Refusal.badHandle
  }
  return call(application, .applicationThread) {
    let offers = application.followOffers()
    out_offers.pointee = offers.isEmpty ? nil : CText.array(offers.map { shared($0) })
    out_count.pointee = offers.count
    return 0
  }
}
