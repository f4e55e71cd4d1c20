import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/application.h and activity.h: the states that an earlier run of the application has stored.

@c @implementation public func segue_application_get_last_states(
  _ application: UnsafeMutablePointer<segue_application>, _ type: UnsafePointer<CChar>?,
  _ target_content_identifier: UnsafePointer<CChar>?, _ maximum: Int, _ callback: segue_states_function,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard let application = object(application)?.application else { return Refusal.badHandle }
  guard !isMissing(callback) else { return -EINVAL }
  return call(application, .applicationThread) { () throws(SegueError) in
    let name = try optionalText(type)
    let wanted = name.flatMap { ActivityType($0) }
    guard maximum > 0, (name == nil) == (wanted == nil) else {
      throw SegueError(.invalidArgument, "One state at least is wanted, of an activity type or of any.")
    }
    let target = try optionalText(target_content_identifier)
    try application.lastStates(wanted, target, maximum: min(maximum, Limits.storedStatesPerApplication)) {
      give($0, to: callback, userdata, application)
    }
    return 0
  }
}

/// Calls the callback, with NULL for an application that is closing. The userdata lives until then.
private func give(
  _ result: Result<[Activity], SegueError>, to callback: segue_states_function, _ userdata: Userdata,
  _ application: Application
) {
  var states: [Activity] = []
  var failure: ErrorHandle?
  switch result {
  case .success(let found): states = found
  case .failure(let error): failure = ErrorHandle(error, external: 0)
  }
  withExtendedLifetime((userdata, failure, states)) {
    let error = failure.map { UnsafePointer<segue_error>(borrowed($0)) }
    let pointers: [UnsafeMutablePointer<segue_activity>] = states.map { borrowed($0) }
    pointers.withUnsafeBufferPointer { pointers in
      let start = pointers.isEmpty ? nil : pointers.baseAddress
      let isAlive = application.withHandle(false) {
        callback(borrowed($0), start, pointers.count, error, userdata.pointer)
        return true
      }
      if !isAlive { callback(nil, nil, 0, error, userdata.pointer) }
    }
  }
}

/// The same as for a pointer: the header says that the function is not NULL, but the caller may ignore that.
private func isMissing(_ function: segue_states_function) -> Bool { unsafeBitCast(function, to: UInt.self) == 0 }

@c @implementation public func segue_activity_get_restored_age(
  _ activity: UnsafePointer<segue_activity>, _ out_milliseconds: UnsafeMutablePointer<UInt64>
) -> Int32 { restored(activity, out_milliseconds) { $0.ageNow } }

@c @implementation public func segue_activity_get_restored_version(
  _ activity: UnsafePointer<segue_activity>, _ out_version: UnsafeMutablePointer<UInt64>
) -> Int32 { restored(activity, out_version) { $0.version } }

private func restored(
  _ activity: UnsafePointer<segue_activity>, _ out: UnsafeMutablePointer<UInt64>, _ body: (Activity.Restored) -> UInt64
) -> Int32 {
  guard !isMissing(out) else { return -EINVAL }
  return with(activity, .anyThread) {
    guard let restored = $0.restored else { return -ENOENT }
    out.pointee = body(restored)
    return 0
  }
}
