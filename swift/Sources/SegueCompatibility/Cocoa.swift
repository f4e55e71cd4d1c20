#if !canImport(Darwin)
  import Foundation
  import Segue

  /// Values of userInfo as Foundation's dictionaries hold them, and back.
  enum Cocoa {
    static func dictionary(_ entries: [Value: Value]) -> [AnyHashable: Any] {
      var dictionary: [AnyHashable: Any] = [:]
      for (key, value) in entries {
        let foundations = hashable(key)
        // Foundation takes 1 and 1.0 for one key; the second one stays a value of Segue's, so that no entry is lost.
        dictionary[dictionary[foundations] == nil ? foundations : AnyHashable(key)] = any(value)
      }
      return dictionary
    }

    /// Throws `SegueError`, with the key path, for a value of a type that cannot travel.
    static func entries(_ dictionary: [AnyHashable: Any], at path: [String] = []) throws -> [Value: Value] {
      var entries: [Value: Value] = [:]
      for (key, value) in dictionary {
        let inner = path + ["\(key)"]
        entries[try self.value(key.base, at: inner)] = try self.value(value, at: inner)
      }
      return entries
    }

    private static func any(_ value: Value) -> Any {
      switch value {
      case .null: NSNull()
      case .bool(let value): value
      case .integer(let value): Int(exactly: value) ?? value
      case .double(let value): value
      case .string(let value): value
      case .data(let value): value
      case .date(let value): value
      case .url(let value): value
      case .uuid(let value): value
      case .array(let value): value.map { any($0) }
      case .set(let value): set(value)
      case .dictionary(let value): dictionary(value)
      }
    }

    private static func set(_ values: Set<Value>) -> Set<AnyHashable> {
      var set: Set<AnyHashable> = []
      for value in values where !set.insert(hashable(value)).inserted { set.insert(AnyHashable(value)) }
      return set
    }

    private static func hashable(_ value: Value) -> AnyHashable { any(value) as? AnyHashable ?? AnyHashable(value) }

    private static func value(_ any: Any, at path: [String]) throws -> Value {
      // The library refuses deeper ones; this keeps a dictionary that holds itself from going on for ever.
      guard path.count <= 16 else {
        throw SegueError(.limitExceeded, "A value has more than 16 levels.", at: path)
      }
      // Before the others, as which Swift would read it.
      if type(of: any) is NSNumber.Type, let number = any as? NSNumber { return try value(number, at: path) }
      switch any {
      case let value as Value: return value
      case is NSNull: return .null
      case let value as Bool: return .bool(value)
      case let value as any BinaryInteger:
        guard let integer = Int64(exactly: value) else { throw tooLarge(value, path) }
        return .integer(integer)
      case let value as Double: return .double(value)
      case let value as Float: return .double(Double(value))
      case let value as CGFloat: return .double(Double(value))
      case let value as String: return .string(value)
      case let value as Data: return .data(value)
      case let value as Date: return .date(value)
      case let value as URL: return .url(value)
      case let value as UUID: return .uuid(value)
      case let value as [Any]:
        return .array(try value.enumerated().map { try self.value($1, at: path + ["\($0)"]) })
      case let value as Set<AnyHashable>:
        return .set(Set(try value.map { try self.value($0.base, at: path + ["\($0)"]) }))
      case let value as [AnyHashable: Any]: return .dictionary(try entries(value, at: path))
      // Foundation's own classes, as older code has them.
      case let value as NSString: return .string(value.description)
      case let value as NSURL: if let url = value.absoluteURL { return .url(url) }
      default: break
      }
      throw SegueError(
        .invalidArgument, "A value of type \(type(of: any)) cannot travel.",
        advice: "Segue's Value lists the kinds that can.", at: path)
    }

    private static func value(_ number: NSNumber, at path: [String]) throws -> Value {
      // Foundation has one object for each of both; objCType says "c" for them and for some small integers alike.
      if number === NSNumber(value: true) { return .bool(true) }
      if number === NSNumber(value: false) { return .bool(false) }
      if let decimal = number as? NSDecimalNumber { return try integer(decimal, at: path) }
      switch String(cString: number.objCType) {
      case "f", "d": return .double(number.doubleValue)
      // The number does not fit into 64 bits with a sign.
      case "Q": throw tooLarge(number, path)
      default: return .integer(number.int64Value)
      }
    }

    /// A decimal number is exact, and a double is not: only integers travel.
    private static func integer(_ number: NSDecimalNumber, at path: [String]) throws -> Value {
      guard let integer = Int64(number.stringValue) else {
        throw SegueError(
          .invalidArgument, "\(number) is a decimal number, which cannot travel unless it is an integer of 64 bits.",
          advice: "Write its text, or its doubleValue where that is exact enough.", at: path)
      }
      return .integer(integer)
    }

    private static func tooLarge(_ value: Any, _ path: [String]) -> SegueError {
      SegueError(
        .invalidArgument, "\(value) does not fit into 64 bits with a sign.",
        advice: "Write its text, or a double where that is exact enough.", at: path)
    }
  }
#endif
