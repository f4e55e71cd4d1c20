import SegueCore

/// The place in a film or a piece of music that another device has sent (`org.segue.open.Media`), checked and clamped.
struct MediaPlace: Equatable {
  let address: OpenAddress
  /// Microseconds; nil where it has no place, as a live stream.
  var position: Int64?
  var rate: Double?
  var isPlaying = true

  /// No film is longer.
  private static let far = 0x1p40

  init?(_ userInfo: [Value: Value]) {
    guard let address = OpenAddress(userInfo) else { return nil }
    self.address = address
    func number(_ key: String) -> Double? {
      let value = userInfo[.string(key)]
      guard let number = value?.double ?? value?.integer.map({ Double($0) }), number.isFinite else { return nil }
      return number
    }
    if userInfo[.string("live")] != .bool(true), let seconds = number("position"), seconds >= 0 {
      let end = number("duration").flatMap { $0 > 0 ? $0 : nil } ?? Self.far
      position = Int64(min(seconds, end, Self.far) * 1_000_000)
    }
    rate = number("rate").map { min(max($0, 0.1), 10) }
    isPlaying = userInfo[.string("playing")] != .bool(false)
  }
}
