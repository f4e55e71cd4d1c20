import SegueBus
import SegueCore

/// One of the application's windows, as the application tells of it. Everything here belongs to its thread.
public final class Window: Handle, @unchecked Sendable {
  public let application: Application
  let methods: WindowMethods
  /// Its name in FocusMachine.
  let number: UInt64

  public init(application: Application, methods: WindowMethods) {
    self.application = application
    self.methods = methods
    number = application.focus.nextNumber()
    super.init(kind: .window)
    application.focus.made(self)
  }

  public override var home: Application? { application }

  public override func abandoned() { application.focus.gone(self) }

  /// The responder that has the focus.
  public var focused: Responder? { application.focus.focused(in: self) }

  public func setFocused(_ responder: Responder?) {
    application.focus.tell(.focused(number, responder?.number))
  }

  /// The document whose activity counts behind the chain.
  public var document: Responder? { application.focus.document(in: self) }

  public func setDocument(_ document: Responder?) {
    application.focus.tell(.documentSet(number, document?.number))
  }
}
