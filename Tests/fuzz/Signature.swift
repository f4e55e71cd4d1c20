// The types that plugins declare: the first line is a signature, the rest is a value.

import SegueCore

func fuzzSignature(_ bytes: [UInt8]) {
  let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  let text = String(decoding: bytes[..<end], as: UTF8.self)
  let rest = bytes[end...].dropFirst()
  fuzzTypes(text, defaultText: String(decoding: rest, as: UTF8.self))
  fuzzClosure(text)
  for value in values(Array(rest)) { fuzzObjections(value) }
}

private func fuzzTypes(_ text: String, defaultText: String) {
  do throws(SegueError) {
    let signature = try PluginSignature(text)
    check(isSame(signature.text, text), "\(text) is printed as \(signature.text)")
    check(signature.types.count <= Limits.pluginParameters, "\(text) has too many types")
    do throws(SegueError) {
      let type = try PluginType(signature: text)
      check(signature.types == [type], "\(text) is \(type.signature)")
      fuzzDefault(type, defaultText)
    } catch {
      check(signature.types.count != 1, "\(text) is one type, and none")
      checkShown(error)
    }
  } catch {
    checkShown(error)
  }
}

/// A default that is accepted has its property's type, and is the value that Swift reads in the text.
private func fuzzDefault(_ type: PluginType, _ text: String) {
  do throws(SegueError) {
    let property = try PluginProperty(
      key: "key", type: type, isRequired: false, isPortable: true, defaultText: text)
    guard let value = property.defaultValue else { fatalError("a default without a value") }
    check(fits(type, value), "the default \(text) of \(type.signature) does not fit")
    switch value {
    case .integer(let integer): check(integer == Int64(text), "\(text) is read as \(integer)")
    case .double(let number): check(number == Double(text), "\(text) is read as \(number)")
    case .string(let string), .url(let string): check(isSame(string, text), "a text is read as another")
    case .bool(let bool): check(isSame("\(bool)", text), "\(text) is read as \(bool)")
    default: fatalError("a default that is \(value.kind.name)")
    }
  } catch {
    checkShown(error)
  }
}

private func fuzzClosure(_ text: String) {
  func printed(_ letter: PluginClosureSignature.Letter) -> String {
    switch letter {
    case .element(let element): element.letter
    case .pointer: "p"
    }
  }
  do throws(SegueError) {
    let signature = try PluginClosureSignature(text)
    let parameters = signature.parameters.map(printed).joined()
    check(isSame((signature.result.map(printed) ?? "") + "(" + parameters + ")", text), "\(text) is printed otherwise")
    check(signature.parameters.count <= Limits.pluginParameters, "\(text) has too many parameters")
  } catch {
    checkShown(error)
  }
}

// MARK: Values

/// The value that the bytes encode, if they encode one, and the kinds of values that can be made of any bytes.
private func values(_ bytes: [UInt8]) -> [Value] {
  let text = String(decoding: bytes, as: UTF8.self)
  let made: [Value] = [.null, .data(bytes), .string(text), .array([.string(text), .string(text)])]
  guard let value = try? CBOR.decode(bytes) else { return made }
  return made + [value, .array([value, value])]
}

private func fuzzObjections(_ value: Value) {
  for element in PluginType.Element.allCases {
    for isArray in [false, true] where !isArray || element.mayBeElement {
      for isOptional in [false, true] where !isOptional || element != .value {
        let type = PluginType(element, isArray: isArray, isOptional: isOptional)
        let objection = type.objection(to: value)
        check((objection == nil) == fits(type, value), "\(type.signature): \(objection ?? "no objection")")
        if let objection { checkShown(objection) }
      }
    }
  }
}

/// Whether a value fits a type by include/segue/plugin.h, written independently of the library.
private func fits(_ type: PluginType, _ value: Value) -> Bool {
  switch value {
  case .null where type.isOptional: true
  case .data(let bytes) where type.isArray && type.element == .uint8: bytes.count <= Limits.valueLength
  case .array(let values) where type.isArray && type.element != .uint8:
    values.count <= Limits.pluginElements && values.allSatisfy { fits(PluginType(type.element), $0) }
  default: !type.isArray && fits(type.element, value)
  }
}

private func fits(_ element: PluginType.Element, _ value: Value) -> Bool {
  switch (element, value) {
  case (.value, _), (.bool, .bool), (.double, .double), (.int64, .integer): true
  case (.int8, .integer(let integer)): Int8(exactly: integer) != nil
  case (.uint8, .integer(let integer)): UInt8(exactly: integer) != nil
  case (.int16, .integer(let integer)): Int16(exactly: integer) != nil
  case (.uint16, .integer(let integer)): UInt16(exactly: integer) != nil
  case (.int32, .integer(let integer)): Int32(exactly: integer) != nil
  case (.uint32, .integer(let integer)): UInt32(exactly: integer) != nil
  case (.uint64, .integer(let integer)): UInt64(exactly: integer) != nil
  case (.float, .double(let number)): !number.isFinite || Float(number).isFinite
  case (.float, .integer(let integer)): Float(exactly: integer) != nil
  case (.double, .integer(let integer)): Double(exactly: integer) != nil
  case (.date, .date(let seconds)): seconds.isFinite
  case (.string, .string(let text)), (.url, .url(let text)):
    text.utf8.count <= Limits.valueLength && !text.utf8.contains(0)
  default: false
  }
}
