import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/activity.h

public typealias OutActivity = UnsafeMutablePointer<UnsafeMutablePointer<segue_activity>?>

@c @implementation public func segue_activity_type_browsing_web() -> UnsafePointer<CChar> {
  staticText("org.segue.BrowsingWeb")
}

@c @implementation public func segue_document_url_key() -> UnsafePointer<CChar> { staticText("SegueDocumentURL") }

@c @implementation public func segue_activity_delegate_init(
  _ delegate: UnsafeMutablePointer<segue_activity_delegate>, _ struct_size: UInt32
) { initialize(delegate, struct_size) }

@c @implementation public func segue_activity_new(
  _ application: UnsafeMutablePointer<segue_application>, _ type: UnsafePointer<CChar>, _ out_activity: OutActivity,
  _ out_error: OutError
) -> Int32 {
  guard let application = object(application)?.application, !isMissing(out_activity) else { return Refusal.badHandle }
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
      // What this library does not know is no consent.
      new.checkVersion = { VersionVerdict(rawValue: check(borrowed($0), $1, userdata.pointer)) ?? .refused }
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

/// What an activity says, from any thread; false where it may not be used.
func predicate(_ activity: UnsafePointer<segue_activity>, _ body: (Activity) -> Bool) -> Bool {
  with(activity, .anyThread) { body($0) ? 1 : 0 } == 1
}

// MARK: What it is

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

@c @implementation public func segue_activity_is_current(_ activity: UnsafePointer<segue_activity>) -> Bool {
  predicate(activity) { $0.isCurrent }
}

@c @implementation public func segue_activity_is_invalid(_ activity: UnsafePointer<segue_activity>) -> Bool {
  predicate(activity) { $0.isInvalid }
}

// MARK: userInfo

@c @implementation public func segue_activity_set_user_info(
  _ activity: UnsafeMutablePointer<segue_activity>, _ dictionary: UnsafePointer<segue_value>?
) -> Int32 {
  if dictionary != nil, object(dictionary) == nil { return Refusal.badHandle }
  let value = object(dictionary)?.value ?? .dictionary([:])
  guard let entries = value.dictionary else { return -ENXIO }
  return with(activity, .anyThread) { activity throws(SegueError) in
    try activity.setUserInfo(entries)
    return 0
  }
}

@c @implementation public func segue_activity_add_user_info_entries(
  _ activity: UnsafeMutablePointer<segue_activity>, _ dictionary: UnsafePointer<segue_value>
) -> Int32 {
  guard let value = object(dictionary)?.value else { return Refusal.badHandle }
  guard let entries = value.dictionary else { return -ENXIO }
  return with(activity, .anyThread) { activity throws(SegueError) in
    try activity.addUserInfo(entries)
    return 0
  }
}

@c @implementation public func segue_activity_copy_user_info(
  _ activity: UnsafePointer<segue_activity>, _ out_dictionary: OutValue
) -> Int32 {
  guard !isMissing(out_dictionary) else { return -EINVAL }
  return with(activity, .anyThread) {
    out_dictionary.pointee = owned(ValueHandle(.dictionary($0.userInfo)))
    return 0
  }
}

/// Adds one entry under a string key.
private func add(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ value: Value?
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    guard let value else { throw .badText }
    try activity.addUserInfo([.string(try requiredText(key)): value])
    return 0
  }
}

@c @implementation public func segue_activity_add_bool(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ boolean: Bool
) -> Int32 { add(activity, key, .bool(boolean)) }

@c @implementation public func segue_activity_add_integer(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ integer: Int64
) -> Int32 { add(activity, key, .integer(integer)) }

@c @implementation public func segue_activity_add_double(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ number: Double
) -> Int32 { add(activity, key, .double(number)) }

@c @implementation public func segue_activity_add_string(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ string: UnsafePointer<CChar>
) -> Int32 { add(activity, key, text(string).map { .string($0) }) }

/// Reads one entry under a string key.
private func get<T>(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out: UnsafeMutablePointer<T>,
  _ content: (Value) -> T?
) -> Int32 {
  guard !isMissing(out) else { return -EINVAL }
  return with(activity, .anyThread) { activity throws(SegueError) in
    guard let value = activity.userInfo[.string(try requiredText(key))] else { return -ENOENT }
    guard let content = content(value) else { return -ENXIO }
    out.pointee = content
    return 0
  }
}

@c @implementation public func segue_activity_get_bool(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_boolean: UnsafeMutablePointer<Bool>
) -> Int32 { get(activity, key, out_boolean) { $0.bool } }

@c @implementation public func segue_activity_get_integer(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_integer: UnsafeMutablePointer<Int64>
) -> Int32 { get(activity, key, out_integer) { $0.integer } }

@c @implementation public func segue_activity_get_double(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_number: UnsafeMutablePointer<Double>
) -> Int32 { get(activity, key, out_number) { $0.number } }

@c @implementation public func segue_activity_copy_string(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>,
  _ out_string: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  get(activity, key, out_string) { value in
    let string: UnsafeMutablePointer<CChar>?? = (value.string ?? value.url).map { CText.copy($0) }
    return string
  }
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
