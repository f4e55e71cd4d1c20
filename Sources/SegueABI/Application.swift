import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/application.h

@c @implementation public func segue_application_options_init(
  _ options: UnsafeMutablePointer<segue_application_options>, _ struct_size: UInt32
) { initialize(options, struct_size) }

@c @implementation public func segue_application_delegate_init(
  _ delegate: UnsafeMutablePointer<segue_application_delegate>, _ struct_size: UInt32
) { initialize(delegate, struct_size) }

@c @implementation public func segue_application_new(
  _ app_id: UnsafePointer<CChar>, _ options: UnsafePointer<segue_application_options>?,
  _ out_application: UnsafeMutablePointer<UnsafeMutablePointer<segue_application>?>, _ out_error: OutError
) -> Int32 {
  guard !isMissing(out_application) else { return refusedHandle(out_error) }
  return result(out_error) { () throws(SegueError) in
    guard let appID = AppID(try requiredText(app_id)) else {
      throw SegueError(
        .invalidArgument, "An app id is a D-Bus name of at most 249 bytes.",
        advice: "Use the id of the desktop file, for instance com.example.Reader.")
    }
    var settings = segue_application_options()
    if let options { settings = try structure(options, empty: settings) }
    let ownsAppID = settings.flags & 1 != 0
    guard settings.flags & ~1 == 0 else {
      throw SegueError(
        .invalidArgument, "The options have flags that this library does not know.",
        advice: "Leave them out, or update Segue.")
    }
    let application = try Application(
      appID: appID, busAddress: try optionalText(settings.bus_address), ownsAppID: ownsAppID)
    out_application.pointee = owned(ApplicationHandle(application))
    return 0
  }
}

@c @implementation public func segue_application_ref(
  _ application: UnsafeMutablePointer<segue_application>
)
  -> UnsafeMutablePointer<segue_application>
{ reference(application) }

@c @implementation public func segue_application_unref(
  _ application: UnsafeMutablePointer<segue_application>?
)
  -> UnsafeMutablePointer<segue_application>?
{ unreference(application) }

/// Runs a call on an application.
private func with(
  _ application: UnsafePointer<segue_application>, _ rule: ThreadRule,
  _ body: (Application) throws(SegueError) -> Int32
) -> Int32 {
  guard let application = object(application)?.application else { return Refusal.badHandle }
  return call(application, rule) { () throws(SegueError) in try body(application) }
}

private func with(
  _ application: UnsafeMutablePointer<segue_application>, _ rule: ThreadRule,
  _ body: (Application) throws(SegueError) -> Int32
) -> Int32 { with(UnsafePointer(application), rule, body) }

@c @implementation public func segue_application_set_delegate(
  _ application: UnsafeMutablePointer<segue_application>, _ delegate: UnsafePointer<segue_application_delegate>?,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard let handle = object(application) else { return Refusal.badHandle }
  return call(handle.application, .applicationThread) { () throws(SegueError) in
    var new = ApplicationDelegate()
    if let delegate {
      new = ApplicationDelegate(try structure(delegate, empty: segue_application_delegate()), userdata)
    }
    handle.application.delegate = new
    return 0
  }
}

@c @implementation public func segue_application_ready(_ application: UnsafeMutablePointer<segue_application>) -> Int32
{
  with(application, .applicationThread) {
    $0.ready()
    return 0
  }
}

@c @implementation public func segue_application_get_app_id(
  _ application: UnsafePointer<segue_application>
)
  -> UnsafePointer<CChar>?
{ object(application)?.application.appIDText.pointer }

@c @implementation public func segue_application_get_state(
  _ application: UnsafePointer<segue_application>
) -> segue_application_state { with(application, .applicationThread) { $0.status.state } }

@c @implementation public func segue_application_copy_launch_type(
  _ application: UnsafePointer<segue_application>, _ out_type: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  guard !isMissing(out_type) else { return -EINVAL }
  return with(application, .applicationThread) {
    out_type.pointee = $0.launchType.map { CText.copy($0.string) }
    return 0
  }
}

@c @implementation public func segue_application_copy_current_activity(
  _ application: UnsafePointer<segue_application>, _ out_activity: OutActivity
) -> Int32 {
  guard !isMissing(out_activity) else { return -EINVAL }
  return with(application, .applicationThread) {
    out_activity.pointee = $0.currentActivity.map { shared($0) }
    return 0
  }
}

@c @implementation public func segue_application_adopt_thread(
  _ application: UnsafeMutablePointer<segue_application>
) -> Int32 {
  with(application, .anyThread) { $0.adoptThread() ? 0 : -EDEADLK }
}

// MARK: The main loop

@c @implementation public func segue_application_get_fd(_ application: UnsafePointer<segue_application>) -> Int32 {
  with(application, .applicationThread) { $0.descriptor }
}

@c @implementation public func segue_application_dispatch(
  _ application: UnsafeMutablePointer<segue_application>
)
  -> Int32
{
  with(application, .applicationThread) { application in
    application.dispatch().map { Int32(truncatingIfNeeded: $0) } ?? -EDEADLK
  }
}

@c @implementation public func segue_application_wait(
  _ application: UnsafeMutablePointer<segue_application>, _ milliseconds: Int32
) -> Int32 {
  with(application, .applicationThread) { application in
    application.wait(milliseconds: milliseconds).map { Int32(truncatingIfNeeded: $0) } ?? -EDEADLK
  }
}

@c @implementation public func segue_application_run(_ application: UnsafeMutablePointer<segue_application>) -> Int32 {
  with(application, .applicationThread) { $0.run() ? 0 : -EDEADLK }
}

@c @implementation public func segue_application_quit(_ application: UnsafeMutablePointer<segue_application>) -> Int32 {
  with(application, .anyThread) {
    $0.quit()
    return 0
  }
}

@c @implementation public func segue_application_wake(_ application: UnsafeMutablePointer<segue_application>) -> Int32 {
  with(application, .anyThread) {
    $0.wake()
    return 0
  }
}
