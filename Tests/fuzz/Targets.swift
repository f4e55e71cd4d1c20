// The program of all targets. It runs the target by whose name it is started: each target has a link to it.

import Glibc

/// The function of each target, which takes an input.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
  "association": fuzzAssociation,
  "configured": fuzzConfigured,
  "control": fuzzControl,
  "door": fuzzDoor,
  "engine": fuzzEngine,
  "frame": fuzzFrame,
  "installed": fuzzInstalled,
  "message": fuzzMessage,
  "metadata": fuzzMetadata,
  "pairing": fuzzPairing,
  "signature": fuzzSignature,
  "state": fuzzState,
  "value": fuzzValue,
]

nonisolated(unsafe) private var target: ([UInt8]) -> Void = { _ in }

@c(LLVMFuzzerInitialize) public func initialize(
  _ count: UnsafeMutablePointer<Int32>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> Int32 {
  let path = arguments?.pointee?[0].map { String(cString: $0) } ?? ""
  let name = path.split(separator: "/").last.map { String($0) } ?? ""
  guard let found = targets[name] else { fatalError("no target is called \(name)") }
  target = found
  return 0
}

@c(LLVMFuzzerTestOneInput) public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  target(Array(UnsafeBufferPointer(start: data, count: size)))
  return 0
}
