// The codec on standard input and output, for the differential test in Tests/python/codec_test.py.
//
//   codec-probe decode               Reads frames (32-bit big-endian length, bytes). Answers each with "1", the
//                                    encoding of the decoded value and its description, or "0" and the error; these
//                                    are frames again.
//   codec-probe generate SEED COUNT  Writes COUNT random values, each as its encoding and its description.
//   codec-probe bench                Says how fast a userInfo of about 2 KB and 100 entries is encoded and decoded.

import Glibc
import SegueCore

/// All that is written, kept until the end: the test gives one input and waits for one output.
var output: [UInt8] = []

@MainActor func frame(_ bytes: [UInt8]) {
  let count = UInt32(bytes.count)
  for shift in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: count >> UInt32(shift))) }
  output += bytes
}

@MainActor func flush() {
  var start = 0
  while start < output.count {
    let written = output[start...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    guard written > 0 else { exit(1) }
    start += written
  }
}

/// All of standard input.
@MainActor func input() -> [UInt8] {
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = read(0, &block, block.count)
    guard count > 0 else { return bytes }
    bytes += block[..<count]
  }
}

@MainActor func decode() {
  let all = input()
  var start = 0
  while start + 4 <= all.count {
    let end = start + 4 + all[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
    guard end <= all.count else { exit(2) }
    let bytes = Array(all[(start + 4)..<end])
    start = end
    do throws(SegueError) {
      let value = try CBOR.decode(bytes)
      let again = try CBOR.encode(value)
      output.append(0x31)
      frame(again)
      frame(Array(description(of: value).utf8))
    } catch {
      output.append(0x30)
      frame(Array(error.message.utf8))
    }
  }
}

@MainActor func generate(seed: UInt64, count: Int) {
  var generator = Generator(state: seed)
  for _ in 0..<count {
    let value = generator.value(depth: 0)
    do throws(SegueError) {
      frame(try CBOR.encode(value))
      frame(Array(description(of: value).utf8))
    } catch {
      print("cannot encode \(value): \(error.message)")
      exit(1)
    }
  }
}

@MainActor func bench() {
  var entries: [Value: Value] = [:]
  for index in 0..<100 {
    let key = Value.string("entry-\(index)")
    switch index % 5 {
    case 0: entries[key] = .integer(Int64(index) * 1000)
    case 1: entries[key] = .string("value number \(index)")
    case 2: entries[key] = .double(Double(index) + 0.1)
    case 3: entries[key] = .date(1_700_000_000 + Double(index))
    default: entries[key] = [.integer(1), .string("two"), .bool(true)]
    }
  }
  let value = Value.dictionary(entries)
  guard let bytes = try? CBOR.encode(value) else { return }
  let rounds = 5000
  var checksum = 0
  func time(_ what: String, _ body: () throws(SegueError) -> Int) {
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<rounds { checksum &+= (try? body()) ?? 0 }
    let duration = clock.now - start
    let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    let speed = Double(bytes.count * rounds) / seconds / 1e6
    print("\(what): \(bytes.count) bytes, \(seconds / Double(rounds) * 1e6) µs, \(speed) MB/s")
  }
  time("encode") { () throws(SegueError) in try CBOR.encode(value).count }
  time("decode") { () throws(SegueError) in try CBOR.decode(bytes).dictionary?.count ?? 0 }
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "decode": decode()
case "generate":
  guard arguments.count == 4, let seed = UInt64(arguments[2]), let count = Int(arguments[3]) else { exit(2) }
  generate(seed: seed, count: count)
case "bench": bench()
default: exit(2)
}
flush()
