import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/activity.h

public typealias OutActivity = UnsafeMutablePointer<UnsafeMutablePointer<segue_activity>?>

@c @implementation public func segue_activity_type_browsing_web() -> UnsafePointer<CChar> {
  staticText("org.segue.BrowsingWeb")
}

@c @implementation public func segue_activity_delegate_init(
  _ delegate: UnsafeMutablePointer<segue_activity_delegate>, _ struct_size: UInt32
) { initialize(delegate, struct_size) }

@c @implementation public func segue_activity_new(
  _ application: UnsafeMutablePointer<segue_application>, _ type: UnsafePointer<CChar>, _ out_activity: OutActivity,
  _ out_error: OutError
) -> Int32 {
  guard let application = object(application)?.application, !isMissing(out_activity) else {
    return refusedHandle(out_error)
  }
  return call(application, .applicationThread, out_error) { () throws(SegueError) in
    guard let type = ActivityType(try requiredText(type)) else {
      throw SegueError(
        .invalidArgument, "An activity type has two or more parts of A-Z a-z 0-9 _ - joined by single dots.",
        advice: "Use a name like com.example.app.activity.")
    }
    out_activity.pointee = owned(Activity(application: application, type: type))
    return 0
  }
}

@c @implementation public func segue_activity_ref(
  _ activity: UnsafeMutablePointer<segue_activity>
)
  -> UnsafeMutablePointer<segue_activity>
{ reference(activity) }

@c @implementation public func segue_activity_unref(
  _ activity: UnsafeMutablePointer<segue_activity>?
)
  -> UnsafeMutablePointer<segue_activity>?
{ unreference(activity) }

@c @implementation public func segue_activity_set_delegate(
  _ activity: UnsafeMutablePointer<segue_activity>, _ delegate: UnsafePointer<segue_activity_delegate>?,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  return with(activity, .applicationThread) { activity throws(SegueError) in
    guard let delegate else {
      activity.delegate = ActivityDelegate()
      return 0
    }
    let members = try structure(delegate, empty: segue_activity_delegate())
    var new = ActivityDelegate()
    new.userdata = userdata
    if let willSave = members.will_save { new.willSave = { willSave(borrowed($0), userdata.pointer) } }
    if let continued = members.was_continued { new.wasContinued = { continued(borrowed($0), userdata.pointer) } }
    if let check = members.check_version {
      // A verdict that this library does not know is no consent.
      new.checkVersion = { VersionVerdict(rawValue: check(borrowed($0), $1, userdata.pointer)) ?? .refused }
    }
    if let received = members.did_receive_streams {
      new.didReceiveStreams = { activity, pair in
        let (input, output) = pair.take()
        received(borrowed(activity), input, output, userdata.pointer)
      }
    }
    activity.delegate = new
    return 0
  }
}

/// Runs a call on an activity.
func with(
  _ activity: UnsafePointer<segue_activity>, _ rule: ThreadRule, _ body: (Activity) throws(SegueError) -> Int32
) -> Int32 {
  guard let activity = object(activity) else { return Refusal.badHandle }
  return call(activity.application, rule) { () throws(SegueError) in try body(activity) }
}

func with(
  _ activity: UnsafeMutablePointer<segue_activity>, _ rule: ThreadRule, _ body: (Activity) throws(SegueError) -> Int32
) -> Int32 { with(UnsafePointer(activity), rule, body) }

/// An activity's answer to a yes-or-no question, from any thread; false where the activity may not be used.
func predicate(_ activity: UnsafePointer<segue_activity>, _ body: (Activity) -> Bool) -> Bool {
  with(activity, .anyThread) { body($0) ? 1 : 0 } == 1
}

// MARK: Its kind

@c @implementation public func segue_activity_get_type(
  _ activity: UnsafePointer<segue_activity>
)
  -> UnsafePointer<CChar>?
{ object(activity)?.typeText.pointer }

@c @implementation public func segue_activity_get_id(
  _ activity: UnsafePointer<segue_activity>, _ out_bytes: UnsafeMutablePointer<UInt8>
) -> Int32 {
  guard !isMissing(out_bytes) else { return -EINVAL }
  return with(activity, .anyThread) {
    out_bytes.update(from: $0.id.bytes, count: 16)
    return 0
  }
}

@c @implementation public func segue_activity_get_revision(
  _ activity: UnsafePointer<segue_activity>, _ out_revision: UnsafeMutablePointer<UInt64>
) -> Int32 {
  guard !isMissing(out_revision) else { return -EINVAL }
  return with(activity, .anyThread) {
    out_revision.pointee = $0.revision
    return 0
  }
}

@c @implementation public func segue_activity_get_continued_from(
  _ activity: UnsafePointer<segue_activity>, _ out_bytes: UnsafeMutablePointer<UInt8>,
  _ out_revision: UnsafeMutablePointer<UInt64>
) -> Int32 {
  guard !isMissing(out_bytes), !isMissing(out_revision) else { return -EINVAL }
  return with(activity, .anyThread) {
    guard let origin = $0.continuedFrom else { return -ENOENT }
    out_bytes.update(from: origin.id.bytes, count: 16)
    out_revision.pointee = origin.revision
    return 0
  }
}

@c @implementation public func segue_activity_is_current(_ activity: UnsafePointer<segue_activity>) -> Bool {
  predicate(activity) { $0.isCurrent }
}

@c @implementation public func segue_activity_is_invalid(_ activity: UnsafePointer<segue_activity>) -> Bool {
  predicate(activity) { $0.isInvalid }
}

// MARK: Its life

@c @implementation public func segue_activity_set_needs_save(
  _ activity: UnsafeMutablePointer<segue_activity>, _ needs_save: Bool
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    try activity.setNeedsSave(needs_save)
    return 0
  }
}

@c @implementation public func segue_activity_needs_save(_ activity: UnsafePointer<segue_activity>) -> Bool {
  predicate(activity) { $0.needsSave }
}

@c @implementation public func segue_activity_get_save_reason(
  _ activity: UnsafePointer<segue_activity>
) -> segue_save_reason { with(activity, .anyThread) { $0.saveReason.rawValue } }

@c @implementation public func segue_activity_was_continued_in_browser(
  _ activity: UnsafePointer<segue_activity>
) -> Bool { predicate(activity) { $0.wasContinuedInBrowser } }

@c @implementation public func segue_activity_become_current(
  _ activity: UnsafeMutablePointer<segue_activity>
)
  -> Int32
{
  with(activity, .applicationThread) {
    guard !$0.isInvalid else { return SEGUE_ACTIVITY_IS_INVALID }
    $0.application.makeCurrent($0)
    return 0
  }
}

@c @implementation public func segue_activity_resign_current(
  _ activity: UnsafeMutablePointer<segue_activity>
)
  -> Int32
{
  with(activity, .applicationThread) {
    $0.application.resign($0)
    return 0
  }
}

@c @implementation public func segue_activity_invalidate(_ activity: UnsafeMutablePointer<segue_activity>) -> Int32 {
  with(activity, .applicationThread) {
    $0.application.invalidate($0)
    return 0
  }
}
