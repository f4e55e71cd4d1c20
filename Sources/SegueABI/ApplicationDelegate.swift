import CSegue
import SegueClient
import SegueCore
import SegueRuntime

extension RegistrationMachine.Status {
  /// The status as C's state.
  var state: segue_application_state {
    switch self {
    case .registering: segue_application_state(SEGUE_APPLICATION_REGISTERING)
    case .registered: segue_application_state(SEGUE_APPLICATION_REGISTERED)
    case .nameTaken: segue_application_state(SEGUE_APPLICATION_NAME_TAKEN)
    case .lost: segue_application_state(SEGUE_APPLICATION_LOST)
    }
  }

  /// The error that explains the status.
  var error: SegueError? {
    switch self {
    case .registering, .registered: nil
    case .nameTaken:
      SegueError(
        .nameTaken, "Another process owns the application's name.", advice: "Continuations go to that process.")
    case .lost(let error): error
    }
  }
}

extension ApplicationDelegate {
  /// C's delegate as closures. Each checks that the application's handle, which C gets, is alive.
  init(_ members: segue_application_delegate, _ userdata: Userdata) {
    self.init()
    self.userdata = userdata
    if let willContinue = members.will_continue {
      self.willContinue = { application, continuation in
        application.withHandle(false) { willContinue(borrowed($0), borrowed(continuation), userdata.pointer) }
      }
    }
    if let continueActivity = members.continue_activity {
      self.continueActivity = { application, activity, restoration in
        application.withHandle(false) {
          continueActivity(borrowed($0), borrowed(activity), borrowed(restoration), userdata.pointer)
        }
      }
    }
    if let didFail = members.did_fail {
      self.didFail = { application, continuation, error in
        withExtendedLifetime(ErrorHandle(error, external: 0)) { error in
          application.withHandle(()) {
            didFail(borrowed($0), borrowed(continuation), UnsafePointer(borrowed(error)), userdata.pointer)
          }
        }
      }
    }
    if let didUpdate = members.did_update {
      self.didUpdate = { application, activity in
        application.withHandle(()) { didUpdate(borrowed($0), borrowed(activity), userdata.pointer) }
      }
    }
    if let stateChanged = members.state_changed {
      self.stateChanged = { application, status in
        withExtendedLifetime(status.error.map { ErrorHandle($0, external: 0) }) { error in
          application.withHandle(()) { handle in
            stateChanged(borrowed(handle), status.state, error.map { UnsafePointer(borrowed($0)) }, userdata.pointer)
          }
        }
      }
    }
    if let activate = members.activate {
      self.activate = { application, token in
        withExtendedLifetime(CText(token)) { token in
          application.withHandle(()) { activate(borrowed($0), token.pointer, userdata.pointer) }
        }
      }
    }
    if let openURLs = members.open_urls {
      self.openURLs = { application, urls, token in
        withExtendedLifetime((CText(token), urls.map { CText($0) })) { token, texts in
          application.withHandle(()) { handle in
            texts.map { $0.pointer }.withUnsafeBufferPointer { pointers in
              guard let start = pointers.baseAddress else { return }
              openURLs(borrowed(handle), start, pointers.count, token.pointer, userdata.pointer)
            }
          }
        }
      }
    }
    if let makeWindow = members.make_window {
      self.makeWindow = { application, activity in
        application.withHandle(nil) { object(makeWindow(borrowed($0), borrowed(activity), userdata.pointer)) }
      }
    }
    if let openDocument = members.open_document {
      self.openDocument = { application, url, activity, restoration in
        withExtendedLifetime(CText(url.string)) { url in
          application.withHandle(false) {
            openDocument(borrowed($0), url.pointer, borrowed(activity), borrowed(restoration), userdata.pointer)
          }
        }
      }
    }
    if let offersChanged = members.offers_changed {
      self.offersChanged = { application in
        application.withHandle(()) { offersChanged(borrowed($0), userdata.pointer) }
      }
    }
    if let log = members.log {
      self.log = { application, line in
        withExtendedLifetime(CText(line)) { line in
          application.withHandle(()) { log(borrowed($0), line.pointer, userdata.pointer) }
        }
      }
    }
  }
}
