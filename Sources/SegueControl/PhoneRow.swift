import SegueCore

/// A phone that takes links: ListPhones.
public struct PhoneRow: ControlValue, Equatable {
  /// A `PhoneID`.
  public var id = ""
  public var name = ""
  /// The program by which it is reached, as a person knows it.
  public var program = ""

  public init() {}

  public init(_ id: PhoneID, name: String) {
    self.id = id.string
    self.name = name
    program = id.program.name
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("name", &name)
    fields("program", &program)
  }
}
