import CPlugin

/// An entry of userInfo, and how it is read from an object and written to it.
///
/// A setter throws for a value that the object does not take; nothing of the activity is restored then.
struct Property<Object> {
  typealias Setter<Value> = (Object, Value) throws(Failure) -> Void

  /// Whether the value means the same on every device, or never leaves this one: a loudness, a window's place.
  enum Scope {
    case portable
    case thisDevice
  }

  let key: StaticString
  /// As segue/plugin.h lists them.
  let signature: StaticString
  let flags: UInt64
  let defaultValue: String?
  let access: Access

  /// The two functions, by how the library passes the value.
  enum Access {
    case bool((Object) -> Bool, Setter<Bool>)
    case integer((Object) -> Int64, Setter<Int64>)
    case number((Object) -> Double, Setter<Double>)
    case pointer((Object) -> UnsafeMutableRawPointer?, Setter<UnsafeRawPointer?>)
    case bytes((Object) -> [UInt8]?, Setter<[UInt8]?>)

    var passing: plugin_passing {
      switch self {
      case .bool: PLUGIN_BOOL
      case .integer: PLUGIN_INTEGER
      case .number: PLUGIN_NUMBER
      case .pointer: PLUGIN_POINTER
      case .bytes: PLUGIN_BYTES
      }
    }

    /// Whether the getter's result is the library's to free.
    var givesMemory: Bool {
      switch self {
      case .bool, .integer, .number: false
      case .pointer, .bytes: true
      }
    }
  }

  private init(
    _ key: StaticString, _ signature: StaticString, _ isRequired: Bool, _ scope: Scope, _ defaultValue: String?,
    _ access: Access
  ) {
    self.key = key
    self.signature = signature
    flags =
      (scope == .portable ? SEGUE_PROPERTY_PORTABLE : SEGUE_PROPERTY_THIS_DEVICE)
      | (isRequired ? SEGUE_PROPERTY_REQUIRED : 0)
    self.defaultValue = defaultValue
    self.access = access
  }

  // MARK: Values that are always there
  // Required: nothing of the object is restored without it. Default: set where it is missing.

  static func bool(
    _ key: StaticString, required: Bool = false, default: Bool? = nil, scope: Scope = .portable,
    get: @escaping (Object) -> Bool, set: @escaping Setter<Bool>
  ) -> Property {
    Property(key, "b", required, scope, `default`.map { $0 ? "true" : "false" }, .bool(get, set))
  }

  static func integer(
    _ key: StaticString, required: Bool = false, default: Int? = nil, scope: Scope = .portable,
    get: @escaping (Object) -> Int, set: @escaping Setter<Int>
  ) -> Property {
    Property(
      key, "x", required, scope, `default`.map { "\($0)" },
      .integer({ Int64(get($0)) }, { (object, value) throws(Failure) in try set(object, Int(value)) }))
  }

  static func number(
    _ key: StaticString, required: Bool = false, default: Double? = nil, scope: Scope = .portable,
    get: @escaping (Object) -> Double, set: @escaping Setter<Double>
  ) -> Property {
    Property(key, "d", required, scope, `default`.map { "\($0)" }, .number(get, set))
  }

  /// In seconds since 1970.
  static func date(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> Double,
    set: @escaping Setter<Double>
  ) -> Property {
    Property(key, "D", required, scope, nil, .number(get, set))
  }

  static func text(
    _ key: StaticString, required: Bool = false, default: String? = nil, scope: Scope = .portable,
    get: @escaping (Object) -> String, set: @escaping Setter<String>
  ) -> Property {
    Property(key, "s", required, scope, `default`, text(get, set))
  }

  /// Files are URLs too: they arrive as the other device's own path.
  static func url(
    _ key: StaticString, required: Bool = false, default: String? = nil, scope: Scope = .portable,
    get: @escaping (Object) -> String, set: @escaping Setter<String>
  ) -> Property {
    Property(key, "U", required, scope, `default`, text(get, set))
  }

  static func data(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> [UInt8],
    set: @escaping Setter<[UInt8]>
  ) -> Property {
    Property(
      key, "ay", required, scope, nil,
      .bytes({ get($0) }, { (object, value) throws(Failure) in try set(object, value ?? []) }))
  }

  // MARK: Values that may be absent
  // Nil: there is nothing to save, or the activity has none.

  static func optionalBool(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> Bool?,
    set: @escaping Setter<Bool?>
  ) -> Property {
    Property(key, "mb", required, scope, nil, scalar(get, set))
  }

  static func optionalInteger(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> Int?,
    set: @escaping Setter<Int?>
  ) -> Property {
    Property(
      key, "mx", required, scope, nil,
      scalar(
        { get($0).map { Int64($0) } },
        { (object, value: Int64?) throws(Failure) in try set(object, value.map { Int($0) }) }))
  }

  static func optionalNumber(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> Double?,
    set: @escaping Setter<Double?>
  ) -> Property {
    Property(key, "md", required, scope, nil, scalar(get, set))
  }

  /// In seconds since 1970.
  static func optionalDate(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> Double?,
    set: @escaping Setter<Double?>
  ) -> Property {
    Property(key, "mD", required, scope, nil, scalar(get, set))
  }

  static func optionalText(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> String?,
    set: @escaping Setter<String?>
  ) -> Property {
    Property(key, "ms", required, scope, nil, optionalText(get, set))
  }

  static func optionalURL(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> String?,
    set: @escaping Setter<String?>
  ) -> Property {
    Property(key, "mU", required, scope, nil, optionalText(get, set))
  }

  static func optionalData(
    _ key: StaticString, required: Bool = false, scope: Scope = .portable, get: @escaping (Object) -> [UInt8]?,
    set: @escaping Setter<[UInt8]?>
  ) -> Property {
    Property(key, "may", required, scope, nil, .bytes(get, set))
  }

  // MARK: As C has them

  private static func text(_ get: @escaping (Object) -> String, _ set: @escaping Setter<String>) -> Access {
    optionalText(
      { get($0) },
      { (object, value) throws(Failure) in
        guard let value else { throw .malformed }
        try set(object, value)
      })
  }

  private static func optionalText(_ get: @escaping (Object) -> String?, _ set: @escaping Setter<String?>) -> Access {
    .pointer(
      { get($0).flatMap { strdup($0) }.map { UnsafeMutableRawPointer($0) } },
      { (object, text) throws(Failure) in
        try set(object, text.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) })
      })
  }

  private static func scalar<Scalar: BitwiseCopyable>(
    _ get: @escaping (Object) -> Scalar?, _ set: @escaping Setter<Scalar?>
  ) -> Access {
    .pointer(
      { object in
        guard let value = get(object), let memory = malloc(MemoryLayout<Scalar>.size) else { return nil }
        memory.storeBytes(of: value, as: Scalar.self)
        return memory
      },
      { (object, value) throws(Failure) in try set(object, value.map { $0.load(as: Scalar.self) }) })
  }
}
