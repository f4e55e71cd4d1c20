import SegueBus
import SegueClient
import SegueCore

/// One of the application's windows, as the application describes it: a responder too, behind the chain of its focus.
/// Everything here but that responder's activity belongs to the application's thread.
public final class Window: Responder, @unchecked Sendable {
  let windowMethods: WindowMethods

  public init(application: Application, methods: WindowMethods) {
    windowMethods = methods
    super.init(application: application, methods: ResponderMethods(of: methods), kind: .window)
    application.focus.made(self)
  }

  public override func abandoned() {
    super.abandoned()
    application.focus.gone(self)
  }

  /// The responder that has the focus.
  public var focused: Responder? { application.focus.focused(in: self) }

  public func setFocused(_ responder: Responder?) {
    application.focus.tell(.focused(number, responder?.number))
  }

  /// The document whose activity is considered after the chain.
  public var document: Responder? { application.focus.document(in: self) }

  public func setDocument(_ document: Responder?) {
    application.focus.tell(.documentSet(number, document?.number))
  }
}

extension ResponderMethods {
  fileprivate init(of methods: WindowMethods) {
    self.init()
    if let update = methods.update { self.update = { update(unsafeDowncast($0, to: Window.self), $1) } }
    if let restore = methods.restore { self.restore = { restore(unsafeDowncast($0, to: Window.self), $1) } }
    if let changed = methods.changed { self.changed = { changed(unsafeDowncast($0, to: Window.self), $1) } }
    userdata = methods.userdata
  }
}
