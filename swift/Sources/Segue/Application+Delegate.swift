import CSegueLibrary
import Foundation

extension Application {
  /// Hands the library the callbacks that are set, and no others: some have an effect by being there.
  func install() {
    guard let raw = try? raw() else { return }
    var delegate = segue_application_delegate()
    segue_application_delegate_init(&delegate, UInt32(MemoryLayout<segue_application_delegate>.size))
    if onWillContinue != nil { delegate.will_continue = willContinue }
    if onContinue != nil { delegate.continue_activity = continueActivity }
    if onFail != nil { delegate.did_fail = didFail }
    if onUpdate != nil { delegate.did_update = didUpdate }
    if onStateChange != nil { delegate.state_changed = stateChanged }
    if onLog != nil { delegate.log = logged }
    if onActivate != nil { delegate.activate = activated }
    if onOpenURLs != nil { delegate.open_urls = openURLs }
    if onMakeWindow != nil { delegate.make_window = makeWindow }
    if onOpenDocument != nil { delegate.open_document = openDocument }
    if onOffersChange != nil { delegate.offers_changed = offersChanged }
    // Callbacks come inside `dispatch` alone, which keeps this object alive.
    segue_application_set_delegate(raw, &delegate, Unmanaged.passUnretained(self).toOpaque(), nil)
  }

  /// Runs a callback that may throw; what it throws goes to the log.
  func logging<R>(_ name: String, _ otherwise: R, _ body: () throws -> R) -> R {
    do {
      return try body()
    } catch {
      log("\(name) failed: \(error)")
      return otherwise
    }
  }
}

/// Runs a callback of the library on the main actor, on which it comes.
private func onMain<R: Sendable>(
  _ userdata: UnsafeMutableRawPointer?, _ otherwise: R, _ body: @MainActor (Application) -> R
) -> R {
  guard let application = object(userdata, as: Application.self) else { return otherwise }
  return MainActor.assumeIsolated { body(application) }
}

private let willContinue: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Bool = {
  let continuation = Pointer($1)
  return onMain($2, false) { $0.onWillContinue?(Continuation(continuation.raw)) ?? false }
}

private let continueActivity:
  @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Bool = {
    let (activity, restoration) = (Pointer($1), Pointer($2))
    return onMain($3, false) { application in
      application.logging("onContinue", false) {
        try application.onContinue?(application.activity(activity.raw), Restoration(restoration.raw, in: application))
          ?? false
      }
    }
  }

private let didFail: @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  let (continuation, error) = (Pointer($1), Pointer($2))
  onMain($3, ()) { $0.onFail?(Continuation(continuation.raw), SegueError.of(error.raw)) }
}

private let didUpdate: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  let activity = Pointer($1)
  onMain($2, ()) { $0.onUpdate?($0.activity(activity.raw)) }
}

private let stateChanged: @convention(c) (OpaquePointer, Int32, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
  let (state, error) = ($1, $2.map { Pointer($0) })
  onMain($3, ()) { $0.onStateChange?(Application.State(state), error.map { SegueError.of($0.raw) }) }
}

private let logged: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Void = {
  let line = String(cString: $1)
  onMain($2, ()) { $0.onLog?(line) }
}

private let activated: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Void = {
  let token = String(cString: $1)
  onMain($2, ()) { $0.onActivate?(token) }
}

private let openURLs:
  @convention(c) (
    OpaquePointer, UnsafePointer<UnsafePointer<CChar>>, Int, UnsafePointer<CChar>, UnsafeMutableRawPointer?
  ) -> Void = {
    let urls = UnsafeBufferPointer(start: $1, count: $2).compactMap { URL(string: String(cString: $0)) }
    let token = String(cString: $3)
    onMain($4, ()) { $0.onOpenURLs?(urls, token) }
  }

private let makeWindow: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> OpaquePointer? = {
  let activity = Pointer($1)
  return onMain($2, nil) { application -> Pointer? in
    application.onMakeWindow?(application.activity(activity.raw))?.pointer
  }?.raw
}

private let openDocument:
  @convention(c) (OpaquePointer, UnsafePointer<CChar>, OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Bool =
    {
      guard let url = URL(string: String(cString: $1)) else { return false }
      let (activity, restoration) = (Pointer($2), Pointer($3))
      return onMain($4, false) { application in
        application.logging("onOpenDocument", false) {
          try application.onOpenDocument?(
            url, application.activity(activity.raw), Restoration(restoration.raw, in: application)) ?? false
        }
      }
    }

private let offersChanged: @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void = { _, userdata in
  onMain(userdata, ()) { $0.onOffersChange?() }
}
