import SegueCore

/// One argument of a method or signal, as introspection shows it.
public struct BusArgument: Sendable {
  public let name: String
  public let signature: String

  public init(_ name: String, _ signature: String) {
    self.name = name
    self.signature = signature
  }
}

/// A method of an interface.
public struct BusMethod {
  /// Called in a dispatch with the call's arguments, which have the signature of `input`, and the means to answer, now
  /// or later. The handler holds the only copy of a descriptor among them.
  public typealias Handler = (_ arguments: [BusValue], _ invocation: Invocation) -> Void

  public let name: String
  public let input: [BusArgument]
  public let output: [BusArgument]
  let handler: Handler

  public init(
    _ name: String, in input: [BusArgument] = [], out output: [BusArgument] = [], _ handler: @escaping Handler
  ) {
    self.name = name
    self.input = input
    self.output = output
    self.handler = handler
  }

  var inputSignature: String { input.reduce(into: "") { $0 += $1.signature } }
}

/// A signal of an interface.
public struct BusSignal: Sendable {
  public let name: String
  public let arguments: [BusArgument]

  public init(_ name: String, _ arguments: [BusArgument] = []) {
    self.name = name
    self.arguments = arguments
  }
}

/// A property of an interface.
public struct BusProperty {
  /// The value of the annotation `EmitsChangedSignal`.
  public enum Changes: Sendable {
    /// The signal carries every change with its value.
    case emitted
    /// No signal announces changes.
    case silent
    /// The property never changes.
    case constant
  }

  public let name: String
  public let signature: String
  public let changes: Changes
  let get: () -> BusValue
  let set: ((BusValue, Invocation) -> Void)?

  /// `get` gives a value of `signature`. `set`, where the property can be written, takes one of `signature` and
  /// answers the invocation, with no values or an error.
  public init(
    _ name: String, _ signature: String, changes: Changes = .emitted, get: @escaping () -> BusValue,
    set: ((BusValue, Invocation) -> Void)? = nil
  ) {
    self.name = name
    self.signature = signature
    self.changes = changes
    self.get = get
    self.set = set
  }
}

/// An interface of an object, with its implementation.
public struct BusInterface {
  public let name: InterfaceName
  public let methods: [BusMethod]
  public let signals: [BusSignal]
  public let properties: [BusProperty]

  public init(
    _ name: InterfaceName, methods: [BusMethod] = [], signals: [BusSignal] = [], properties: [BusProperty] = []
  ) {
    self.name = name
    self.methods = methods
    self.signals = signals
    self.properties = properties
  }
}
