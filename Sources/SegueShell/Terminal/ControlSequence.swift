import SegueCore

/// A control sequence (CSI), taken apart. Pure.
struct ControlSequence {
  /// `?`, `>`, `=` or `<`.
  let prefix: UInt8?
  /// The numbers between semicolons, nil for an empty one, each followed by those behind colons.
  let parameters: [[Int?]]
  let intermediates: [UInt8]
  let final: UInt8

  /// Nil for bytes that are no control sequence, or have more parameters than libvterm takes.
  init?(_ body: [UInt8], final: UInt8) {
    var rest = body[...]
    var prefix: UInt8?
    if let first = rest.first, (0x3C...0x3F).contains(first) {
      prefix = first
      rest = rest.dropFirst()
    }
    let intermediates = rest.drop { (0x30...0x3B).contains($0) }
    guard intermediates.allSatisfy({ (0x20...0x2F).contains($0) }), intermediates.count <= 1 else { return nil }
    rest = rest[..<intermediates.startIndex]
    var parameters: [[Int?]] = []
    if !rest.isEmpty {
      for part in rest.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
        parameters.append(part.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Self.number))
      }
    }
    guard parameters.reduce(0, { $0 + $1.count }) <= Limits.shellParameters else { return nil }
    self.prefix = prefix
    self.parameters = parameters
    self.intermediates = Array(intermediates)
    self.final = final
  }

  /// Parses a number, cut to the largest that makes a difference.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.isEmpty
      ? nil : digits.reduce(0) { min($0 * 10 + Int($1) - Int(UInt8(ascii: "0")), Limits.shellParameter) }
  }

  /// The numbers of the parameters if none has colons; nil otherwise.
  var numbers: [Int?]? {
    parameters.allSatisfy { $0.count == 1 } ? parameters.map { $0.first ?? nil } : nil
  }

  func bytes(parameters: [[Int?]]) -> [UInt8] {
    var text: [UInt8] = [0x1B, UInt8(ascii: "[")]
    if let prefix { text.append(prefix) }
    for (index, parameter) in parameters.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ";")) }
      for (place, number) in parameter.enumerated() {
        if place > 0 { text.append(UInt8(ascii: ":")) }
        if let number { text += Array(String(number).utf8) }
      }
    }
    return text + intermediates + [final]
  }

  var bytes: [UInt8] { bytes(parameters: parameters) }
}
