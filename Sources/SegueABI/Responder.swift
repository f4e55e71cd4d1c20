import CLinux
import CSegue
import SegueClient
import SegueCore
import SegueRuntime

// include/segue/responder.h

@c @implementation public func segue_responder_methods_init(
  _ methods: UnsafeMutablePointer<segue_responder_methods>, _ struct_size: UInt32
) { initialize(methods, struct_size) }

@c @implementation public func segue_responder_new(
  _ application: UnsafeMutablePointer<segue_application>, _ methods: UnsafePointer<segue_responder_methods>,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?,
  _ out_responder: UnsafeMutablePointer<UnsafeMutablePointer<segue_responder>?>
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard let application = object(application)?.application, !isMissing(out_responder) else { return Refusal.badHandle }
  return call(application, .applicationThread) { () throws(SegueError) in
    let members = try structure(methods, empty: segue_responder_methods())
    var new = ResponderMethods()
    if let update = members.update_user_activity_state {
      new.update = { update(borrowed($0), borrowed($1), userdata.pointer) }
    }
    if let restore = members.restore_user_activity_state {
      new.restore = { restore(borrowed($0), borrowed($1), userdata.pointer) }
    }
    if let changed = members.user_activity_changed {
      new.changed = { changed(borrowed($0), $1.map { borrowed($0) }, userdata.pointer) }
    }
    new.userdata = userdata
    out_responder.pointee = owned(Responder(application: application, methods: new))
    return 0
  }
}

@c @implementation public func segue_responder_ref(
  _ responder: UnsafeMutablePointer<segue_responder>
)
  -> UnsafeMutablePointer<segue_responder>
{ reference(responder) }

@c @implementation public func segue_responder_unref(
  _ responder: UnsafeMutablePointer<segue_responder>?
)
  -> UnsafeMutablePointer<segue_responder>?
{ unreference(responder) }

@c @implementation public func segue_responder_set_user_activity(
  _ responder: UnsafeMutablePointer<segue_responder>, _ activity: UnsafeMutablePointer<segue_activity>?
) -> Int32 {
  guard let responder = object(responder), activity == nil || object(activity) != nil else { return Refusal.badHandle }
  return call(responder.application, .anyThread) { () throws(SegueError) in
    if let other = object(activity), other.application !== responder.application {
      throw SegueError(
        .invalidArgument, "The activity is of another application.", advice: "Make one in the responder's application.")
    }
    try responder.setUserActivity(object(activity))
    return 0
  }
}

@c @implementation public func segue_responder_copy_user_activity(
  _ responder: UnsafePointer<segue_responder>, _ out_activity: OutActivity
) -> Int32 {
  guard let responder = object(responder), !isMissing(out_activity) else { return Refusal.badHandle }
  return call(responder.application, .anyThread) {
    out_activity.pointee = responder.userActivity.map { shared($0) }
    return 0
  }
}

@c @implementation public func segue_responder_set_next_responder(
  _ responder: UnsafeMutablePointer<segue_responder>, _ next: UnsafeMutablePointer<segue_responder>?
) -> Int32 {
  guard let responder = object(responder), next == nil || object(next) != nil else { return Refusal.badHandle }
  let next = object(next)
  return call(responder.application, .applicationThread) {
    guard next == nil || next?.application === responder.application else { return -EINVAL }
    do throws(ChainError) {
      try responder.setNext(next)
      return 0
    } catch {
      return error == .loop ? -ELOOP : -E2BIG
    }
  }
}

@c @implementation public func segue_responder_copy_next_responder(
  _ responder: UnsafePointer<segue_responder>, _ out_next: OutResponder
) -> Int32 {
  guard let responder = object(responder), !isMissing(out_next) else { return Refusal.badHandle }
  return call(responder.application, .applicationThread) {
    out_next.pointee = responder.next.map { shared($0) }
    return 0
  }
}

@c @implementation public func segue_responder_update(
  _ responder: UnsafeMutablePointer<segue_responder>, _ activity: UnsafeMutablePointer<segue_activity>
) -> Int32 {
  guard let responder = object(responder), let activity = object(activity) else { return Refusal.badHandle }
  return call(responder.application, .applicationThread) {
    responder.update(byHand: activity)?.code.result ?? 0
  }
}

@c @implementation public func segue_responder_restore(
  _ responder: UnsafeMutablePointer<segue_responder>, _ activity: UnsafeMutablePointer<segue_activity>
) -> Int32 {
  guard let responder = object(responder), let activity = object(activity) else { return Refusal.badHandle }
  return call(responder.application, .applicationThread) {
    responder.restore(from: activity)?.code.result ?? 0
  }
}
