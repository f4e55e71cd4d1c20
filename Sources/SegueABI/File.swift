import CLinux
import CSegue
import SegueCore
import SegueRuntime

// The functions of include/segue/activity.h for files.

@c @implementation public func segue_activity_bring_file(
  _ activity: UnsafeMutablePointer<segue_activity>, _ url: UnsafePointer<CChar>,
  _ progress: segue_file_progress_function?, _ callback: segue_file_function, _ userdata: UnsafeMutableRawPointer?,
  _ destroy: segue_destroy_function?
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard unsafeBitCast(callback, to: UInt.self) != 0 else { return -EINVAL }
  return with(activity, .applicationThread) { activity throws(SegueError) in
    let told: ((Activity, UInt64, UInt64) -> Void)? = progress.map { progress in
      { activity, done, size in
        withExtendedLifetime((activity, userdata)) { progress(borrowed(activity), done, size, userdata.pointer) }
      }
    }
    try activity.application.bringFile(try requiredText(url), of: activity, told) { result in
      withExtendedLifetime((activity, userdata)) {
        switch result {
        case .success(let file):
          let path = CText(file.path)
          withExtendedLifetime(path) {
            guard let digest = file.digest else {
              return callback(borrowed(activity), path.pointer, file.size, nil, nil, userdata.pointer)
            }
            digest.withUnsafeBufferPointer {
              callback(borrowed(activity), path.pointer, file.size, $0.baseAddress, nil, userdata.pointer)
            }
          }
        case .failure(let error):
          withExtendedLifetime(ErrorHandle(error, external: 0)) {
            callback(borrowed(activity), nil, 0, nil, UnsafePointer(borrowed($0)), userdata.pointer)
          }
        }
      }
    }
    return 0
  }
}

@c @implementation public func segue_activity_cancel_file(
  _ activity: UnsafeMutablePointer<segue_activity>, _ url: UnsafePointer<CChar>
) -> Int32 {
  with(activity, .applicationThread) { activity throws(SegueError) in
    activity.application.cancelFile(try requiredText(url), of: activity) ? 0 : -ENOENT
  }
}
