// By conversion alone: Swift's own functions call the mathematical library.

extension Double {
  /// The same number as an integer; nil for one with a fraction. It must be within an Int64's range.
  var whole: Int64? {
    let integer = Int64(self)
    return Double(integer) == self ? integer : nil
  }

  /// The least integer that is no less. The number must be from 0 on, and within a UInt64's range.
  package var roundedUp: UInt64 {
    let integer = UInt64(self)
    return Double(integer) < self ? integer &+ 1 : integer
  }
}
