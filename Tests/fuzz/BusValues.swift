import SegueBus
import SegueCore

/// The names that the door and the control interface know.
private let keys = [
  "id", "revision", "type", "title", "eligible", "search", "allows-snapshot", "changed", "web-host", "continued-from",
  "continued-revision", "time-left", "reason", "webpage-url", "target", "persistent-id", "keywords", "stored",
  "stored-age", "user-info", "shows-failure", "activation-token", "app", "purpose", "version", "local", "browser",
  "continuation", "app-id", "app-name", "local-app", "candidates", "needs-choice", "in-browser", "device-id",
  "device-name", "here",
  "age", "kind", "size", "name", "addresses", "online", "phase", "phases", "start", "duration", "total", "error",
  "severity", "message", "advice", "sentence", "offered", "from", "withheld", "applications", "devices",
]

private let words = [
  "", "00000000000000000000000000000001", "00000000000000000000000000000002", "com.example.reading", "com.example.A",
  "https://example.org/", "snapshot", "search", "claim", "error", "A\u{202E}\u{7}", "file:///a",
]

/// A value that the input chooses. `spare`: words in addition to the usual ones, for example tickets.
func busValue(_ bytes: inout Bytes, depth: Int, spare: [String] = []) -> BusValue {
  switch bytes.below(depth > 3 ? 12 : 16) {
  case 0, 1, 2: .string(busText(&bytes, spare))
  case 3: .bool(bytes.bool())
  case 4, 5: .uint64(bytes.number())
  case 6: .uint32(UInt32(truncatingIfNeeded: bytes.number()))
  case 7: .bytes(bytes.bytes())
  case 8: .strings((0..<bytes.below(4)).map { _ in busText(&bytes, spare) })
  case 9: .double(Double(bitPattern: bytes.number()))
  case 10: .bytes([0xA0])
  case 11: .int64(Int64(bitPattern: bytes.number()))
  case 12, 13: .dictionary(busDictionary(&bytes, depth: depth + 1, spare: spare))
  case 14: .variant(busValue(&bytes, depth: depth + 1, spare: spare))
  default:
    .array(
      elementSignature: "a{sv}",
      (0..<bytes.below(3)).map { _ in .dictionary(busDictionary(&bytes, depth: depth + 1, spare: spare)) })
  }
}

func busText(_ bytes: inout Bytes, _ spare: [String] = []) -> String {
  if !spare.isEmpty, bytes.bool() { return bytes.one(of: spare) }
  return bytes.below(8) == 0 ? bytes.text() : bytes.one(of: words)
}

func busDictionary(_ bytes: inout Bytes, depth: Int, spare: [String] = []) -> BusDictionary {
  BusDictionary(
    (0..<bytes.below(14)).map { _ in
      (bytes.below(16) == 0 ? bytes.text() : bytes.one(of: keys), busValue(&bytes, depth: depth, spare: spare))
    })
}
