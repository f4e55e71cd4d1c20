import CLinux
import Testing

/// The library's own rounding is that of the mathematical library, which it does without.
@Suite struct RoundingTests {
  @Test func bothRoundAlike() {
    var values: [Double] = [0, 0.5, 1, 1.5, 2.999, 4_503_599_627_370_495.5, 4_503_599_627_370_496, 1e300]
    values += [.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .infinity, Double(Int64.max)]
    values += values.flatMap { [$0.nextUp, $0.nextDown] } + (0..<10_000).map { _ in .random(in: 0..<1e16) }
    for value in values.flatMap({ [$0, -$0] }) where !value.isNaN {
      #expect(segue_trunc(value).bitPattern == value.rounded(.towardZero).bitPattern)
      #expect(segue_ceil(value).bitPattern == value.rounded(.up).bitPattern)
    }
    #expect(segue_trunc(.nan).isNaN && segue_ceil(.nan).isNaN)
  }
}
