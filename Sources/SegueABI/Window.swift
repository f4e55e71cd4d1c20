import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/window.h

public typealias OutResponder = UnsafeMutablePointer<UnsafeMutablePointer<segue_responder>?>

@c @implementation public func segue_window_methods_init(
  _ methods: UnsafeMutablePointer<segue_window_methods>, _ struct_size: UInt32
) { initialize(methods, struct_size) }

@c @implementation public func segue_window_new(
  _ application: UnsafeMutablePointer<segue_application>, _ methods: UnsafePointer<segue_window_methods>,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?,
  _ out_window: UnsafeMutablePointer<UnsafeMutablePointer<segue_window>?>
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard let application = object(application)?.application, !isMissing(out_window) else { return Refusal.badHandle }
  return call(application, .applicationThread) { () throws(SegueError) in
    let members = try structure(methods, empty: segue_window_methods())
    out_window.pointee = owned(Window(application: application, methods: WindowMethods(members, userdata)))
    return 0
  }
}

extension WindowMethods {
  /// C's methods as closures.
  fileprivate init(_ members: segue_window_methods, _ userdata: Userdata) {
    self.init()
    self.userdata = userdata
    if let prefersContent = members.prefers_content {
      self.prefersContent = { window, target in prefersContent(borrowed(window), target.pointer, userdata.pointer) }
    }
    if let canShowContent = members.can_show_content {
      self.canShowContent = { window, target in canShowContent(borrowed(window), target.pointer, userdata.pointer) }
    }
    if let continueActivity = members.continue_activity {
      self.continueActivity = { window, activity, restoration in
        continueActivity(borrowed(window), borrowed(activity), borrowed(restoration), userdata.pointer)
      }
    }
    if let update = members.update_user_activity_state {
      self.update = { update(borrowed($0), borrowed($1), userdata.pointer) }
    }
    if let restore = members.restore_user_activity_state {
      self.restore = { restore(borrowed($0), borrowed($1), userdata.pointer) }
    }
    if let changed = members.user_activity_changed {
      self.changed = { changed(borrowed($0), $1.map { borrowed($0) }, userdata.pointer) }
    }
  }
}

@c @implementation public func segue_window_ref(
  _ window: UnsafeMutablePointer<segue_window>
)
  -> UnsafeMutablePointer<segue_window>
{ reference(window) }

@c @implementation public func segue_window_unref(
  _ window: UnsafeMutablePointer<segue_window>?
)
  -> UnsafeMutablePointer<segue_window>?
{ unreference(window) }

@c @implementation public func segue_window_get_responder(
  _ window: UnsafeMutablePointer<segue_window>
)
  -> UnsafeMutablePointer<segue_responder>?
{ object(window).map { borrowed($0) } }

@c @implementation public func segue_window_set_focused_responder(
  _ window: UnsafeMutablePointer<segue_window>, _ responder: UnsafeMutablePointer<segue_responder>?
) -> Int32 {
  guard let window = object(window), responder == nil || object(responder) != nil else { return Refusal.badHandle }
  let responder = object(responder)
  return call(window.application, .applicationThread) {
    guard responder == nil || responder?.application === window.application else { return -EINVAL }
    window.setFocused(responder)
    return 0
  }
}

@c @implementation public func segue_window_copy_focused_responder(
  _ window: UnsafePointer<segue_window>, _ out_responder: OutResponder
) -> Int32 {
  guard let window = object(window), !isMissing(out_responder) else { return Refusal.badHandle }
  return call(window.application, .applicationThread) {
    out_responder.pointee = window.focused.map { shared($0) }
    return 0
  }
}

@c @implementation public func segue_window_set_document(
  _ window: UnsafeMutablePointer<segue_window>, _ document: UnsafeMutablePointer<segue_document>?
) -> Int32 {
  guard let window = object(window), document == nil || object(document) != nil else { return Refusal.badHandle }
  return call(window.application, .applicationThread) {
    let document = object(document)
    if let document, document.application !== window.application { return -EINVAL }
    window.setDocument(document)
    return 0
  }
}
