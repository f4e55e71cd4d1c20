/// One thing to know of how an application is declared: CheckApplication. `segue plugin check` says what it has found of
/// a plugin so too.
public struct Finding: ControlValue {
  public enum Severity: String, ControlField, Sendable {
    /// It does not work so.
    case error
    /// It works, and not as one might think.
    case warning
    /// How it is.
    case note
  }

  public var severity = Severity.note
  public var message = ""
  /// What to do; empty where there is nothing.
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
