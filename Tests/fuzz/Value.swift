// The payload decoder: bytes that are accepted are the encoding of what they were decoded to, and within the limits.

import SegueCore

func fuzzValue(_ bytes: [UInt8]) {
  let decoded = Result { () throws(SegueError) in try CBOR.decode(bytes).kind }
  check(decoded == Result { () throws(SegueError) in try CBOR.check(bytes) }, "it is checked as another value")
  let value: Value
  do throws(SegueError) {
    value = try CBOR.decode(bytes)
  } catch {
    check([.invalidArgument, .limitExceeded].contains(error.code), "the code \(error.code.name)")
    checkShown(error)
    return
  }
  do throws(SegueError) {
    let encoded = try CBOR.measured(value)
    check(encoded.bytes == bytes, "the encoding is another: \(encoded.bytes)")
    check(encoded.largestEntry <= bytes.count, "an entry that is larger than all")
    checkShown(encoded.largestInSentence)
    let again = try CBOR.decode(bytes)
    check(again == value && again.hashValue == value.hashValue, "it is not equal to itself")
  } catch {
    fatalError("what was decoded cannot be encoded: \(error.message)")
  }
  check(!value.isDeeper(than: Limits.valueDepth), "it is too deep")
  check(nodes(value) <= Limits.valueNodes, "it has too many values")
}

/// Values in it, keys and itself included; each within its own limits.
private func nodes(_ value: Value) -> Int {
  switch value {
  case .string(let text), .url(let text): check(text.utf8.count <= Limits.valueLength, "a text is too long")
  case .data(let bytes): check(bytes.count <= Limits.valueLength, "data are too long")
  case .date(let seconds): check(seconds.isFinite, "a date is not finite")
  case .array(let values): return values.reduce(1) { $0 + nodes($1) }
  case .set(let values): return values.reduce(1) { $0 + nodes($1) }
  case .dictionary(let entries):
    check(entries.count <= Limits.dictionaryEntries, "a dictionary has too many entries")
    return entries.reduce(1) { count, entry in
      check(entry.key.isKey, "a key that is \(entry.key.kind.name)")
      check((entry.key.string ?? entry.key.url)?.utf8.count ?? 0 <= Limits.keyLength, "a key is too long")
      check(entry.key.data?.count ?? 0 <= Limits.keyLength, "a key is too long")
      return count + 1 + nodes(entry.value)
    }
  default: break
  }
  return 1
}
