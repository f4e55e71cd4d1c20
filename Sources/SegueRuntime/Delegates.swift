import SegueClient
import SegueCore

/// The callbacks to the application. Absent members have the meaning that `include/segue/application.h` gives.
public struct ApplicationDelegate {
  public var willContinue: ((Application, Continuation) -> Bool)?
  public var continueActivity: ((Application, Activity, Restoration) -> Bool)?
  public var didFail: ((Application, Continuation, SegueError) -> Void)?
  public var didUpdate: ((Application, Activity) -> Void)?
  public var stateChanged: ((Application, RegistrationMachine.Status) -> Void)?
  public var activate: ((Application, String) -> Void)?
  public var openURLs: ((Application, [String], String) -> Void)?
  public var log: ((Application, String) -> Void)?
  public var makeWindow: ((Application, Activity) -> Window?)?
  public var openDocument: ((Application, FileURL, Activity, Restoration) -> Bool)?
  public var offersChanged: ((Application) -> Void)?
  /// Lives as long as the delegate, also where no member is set.
  public var userdata: AnyObject?

  public init() {}
}

/// The callbacks of an activity to its owner.
public struct ActivityDelegate {
  public var willSave: ((Activity) -> Void)?
  public var wasContinued: ((Activity) -> Void)?
  /// Whether the activity may go to the other application, which states this version of its type.
  public var checkVersion: ((Activity, UInt64) -> VersionVerdict)?
  /// Takes the activity's ends of a stream.
  public var didReceiveStreams: ((Activity, StreamPair) -> Void)?
  /// As in `ApplicationDelegate`.
  public var userdata: AnyObject?

  public init() {}
}

/// An application's verdict on another's version of an activity type (semantics X8). The numbers are those of C.
public enum VersionVerdict: Int32, Sendable {
  case agrees = 0
  case refused, mismatch
}

/// The callbacks of a responder.
public struct ResponderMethods {
  public var update: ((Responder, Activity) -> Void)?
  public var restore: ((Responder, Activity) -> Void)?
  public var changed: ((Responder, Activity?) -> Void)?
  /// Lives as long as the responder, also where no method is set.
  public var userdata: AnyObject?

  public init() {}
}

/// The callbacks of a window, for activities that arrive and as a responder. Targets are content identifiers, as C
/// strings.
public struct WindowMethods {
  public var prefersContent: ((Window, CText) -> Bool)?
  public var canShowContent: ((Window, CText) -> Bool)?
  public var continueActivity: ((Window, Activity, Restoration) -> Bool)?
  public var update: ((Window, Activity) -> Void)?
  public var restore: ((Window, Activity) -> Void)?
  public var changed: ((Window, Activity?) -> Void)?
  /// As in `ResponderMethods`.
  public var userdata: AnyObject?

  public init() {}
}

/// The callbacks by which an application adds to the library's work on a document.
public struct DocumentMethods {
  public var update: ((Document, Activity) -> Void)?
  public var restore: ((Document, Activity) -> Void)?
  public var changed: ((Document, Activity?) -> Void)?
  /// The file has this URL now.
  public var moved: ((Document, CText) -> Void)?
  /// As in `ResponderMethods`.
  public var userdata: AnyObject?

  public init() {}
}
