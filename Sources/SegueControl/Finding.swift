import SegueBus

/// One finding about how an application is declared: CheckApplication. `segue plugin check` reports its findings about
/// a plugin in the same form.
public struct Finding: ControlValue {
  public enum Severity: String, BusField, Sendable {
    /// It does not work as it is.
    case error
    /// The application works, but not as one might expect.
    case warning
    /// A fact worth knowing.
    case note
  }

  public var severity = Severity.note
  public var message = ""
  /// Advice; empty if there is none.
  public var advice = ""

  public init() {}

  public init(severity: Severity, message: String, advice: String = "") {
    self.severity = severity
    self.message = message
    self.advice = advice
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("severity", &severity, isNeeded: true)
    fields("message", &message)
    fields("advice", &advice)
  }
}
