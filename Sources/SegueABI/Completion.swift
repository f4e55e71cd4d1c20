import CSegue
import SegueCore
import SegueRuntime

/// Calls a completion, with NULL for an application that is closing. The userdata lives until then, whether or not there
/// is a completion.
func complete(
  _ completion: segue_completion_function?, _ userdata: Userdata, _ application: Application, _ error: SegueError?
) {
  withExtendedLifetime((userdata, error.map { ErrorHandle($0, external: 0) })) { userdata, error in
    guard let completion else { return }
    let error = error.map { UnsafePointer<segue_error>(borrowed($0)) }
    let isAlive = application.withHandle(false) {
      completion(borrowed($0), error, userdata.pointer)
      return true
    }
    if !isAlive { completion(nil, error, userdata.pointer) }
  }
}
