import CLinux
import CSegue
import SegueClient
import SegueCore
import SegueRuntime

// include/segue/application.h: what the user works in.

@c @implementation public func segue_application_set_main_window(
  _ application: UnsafeMutablePointer<segue_application>, _ window: UnsafeMutablePointer<segue_window>?
) -> Int32 {
  guard let application = object(application)?.application, window == nil || object(window) != nil else {
    return Refusal.badHandle
  }
  let window = object(window)
  return call(application, .applicationThread) {
    guard window == nil || window?.application === application else { return -EINVAL }
    application.setMainWindow(window)
    return 0
  }
}

@c @implementation public func segue_application_explain_current(
  _ application: UnsafePointer<segue_application>, _ out_activity: OutActivity,
  _ out_sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> segue_current_reason {
  guard let application = object(application)?.application, !isMissing(out_activity), !isMissing(out_sentence) else {
    return Refusal.badHandle
  }
  return call(application, .applicationThread) {
    let (activity, reason) = application.currentExplained
    out_activity.pointee = activity.map { shared($0) }
    out_sentence.pointee = CText.copy(application.explanationOfCurrent)
    return reason.number
  }
}

extension FocusMachine.Reason {
  /// The reason as C's number.
  fileprivate var number: segue_current_reason {
    switch self {
    case .none: segue_current_reason(SEGUE_CURRENT_NONE)
    case .explicit: segue_current_reason(SEGUE_CURRENT_EXPLICIT)
    case .focus: segue_current_reason(SEGUE_CURRENT_FOCUS)
    case .window: segue_current_reason(SEGUE_CURRENT_WINDOW)
    case .document: segue_current_reason(SEGUE_CURRENT_DOCUMENT)
    case .lastSet: segue_current_reason(SEGUE_CURRENT_LAST_SET)
    }
  }
}
