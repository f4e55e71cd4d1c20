import SegueCore

/// A value as JSON that keeps every distinction: [kind, content], numbers as decimal text or as bits, text as hex.
func description(of value: Value) -> String {
  switch value {
  case .null: "[\"null\"]"
  case .bool(let value): "[\"bool\",\(value)]"
  case .integer(let value): "[\"integer\",\"\(value)\"]"
  case .double(let value): "[\"double\",\"\(bits(value))\"]"
  case .string(let value): "[\"string\",\"\(Array(value.utf8).hex)\"]"
  case .data(let value): "[\"data\",\"\(value.hex)\"]"
  case .date(let value): "[\"date\",\"\(bits(value))\"]"
  case .url(let value): "[\"url\",\"\(Array(value.utf8).hex)\"]"
  case .uuid(let value): "[\"uuid\",\"\(value.hex)\"]"
  case .array(let values): "[\"array\",[\(values.map { description(of: $0) }.joined(separator: ","))]]"
  case .set(let values): "[\"set\",[\(values.map { description(of: $0) }.joined(separator: ","))]]"
  case .dictionary(let entries):
    "[\"dictionary\",["
      + entries.map { "[\(description(of: $0.key)),\(description(of: $0.value))]" }.joined(separator: ",") + "]]"
  }
}

private func bits(_ value: Double) -> String {
  Identifier(high: 0, low: value.isNaN ? 0x7FF8_0000_0000_0000 : value.bitPattern).bytes.suffix(8).map { $0 }.hex
}
