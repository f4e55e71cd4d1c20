import CSegue
import SegueCore
import SegueRuntime

// include/segue/application.h: what becomes of stored copies.

/// Deletes; `ids` is read only where the application may be used.
private func delete(
  _ application: UnsafeMutablePointer<segue_application>, _ completion: segue_completion_function?,
  _ userdata: Userdata, _ ids: () throws(SegueError) -> [String]?
) -> Int32 {
  guard let application = object(application)?.application else { return Refusal.badHandle }
  return call(application, .applicationThread) { () throws(SegueError) in
    try application.deleteSaved(try ids()) { complete(completion, userdata, application, $0) }
    return 0
  }
}

@c @implementation public func segue_application_delete_saved(
  _ application: UnsafeMutablePointer<segue_application>, _ ids: Texts, _ count: Int,
  _ completion: segue_completion_function?, _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?
) -> Int32 {
  delete(application, completion, Userdata(userdata, destroy)) { () throws(SegueError) in
    try texts(ids, count, maximum: Limits.deletedIdentifiers)
  }
}

@c @implementation public func segue_application_delete_all_saved(
  _ application: UnsafeMutablePointer<segue_application>, _ completion: segue_completion_function?,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?
) -> Int32 { delete(application, completion, Userdata(userdata, destroy)) { nil } }
