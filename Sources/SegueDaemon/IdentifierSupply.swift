import Glibc
import SegueCore

/// Random identifiers, of which several come with one call of the system.
final class IdentifierSupply {
  private var numbers: [UInt64] = []

  /// A new one.
  func next() -> Identifier {
    if numbers.count < 2 { draw() }
    guard let high = numbers.popLast(), let low = numbers.popLast() else { return .random() }
    return Identifier(high: high, low: low)
  }

  /// Draws as many bytes as one call gives. Where the system refuses, each identifier is drawn by itself.
  private func draw() {
    numbers = [UInt64](unsafeUninitializedCapacity: 32) { buffer, count in
      count = getentropy(buffer.baseAddress, 256) == 0 ? 32 : 0
    }
  }
}
