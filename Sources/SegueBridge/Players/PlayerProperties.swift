import SegueBus
import SegueCore

/// The properties that a player of MPRIS 2 has told. Each may be missing, of another type, or a lie.
struct PlayerProperties: Equatable {
  enum Status: String { case playing = "Playing", paused = "Paused", stopped = "Stopped" }

  var address: OpenAddress?
  var title: String?
  var artist: String?
  var album: String?
  var track: String?
  /// Microseconds.
  var length: Int64?
  var position: Int64?
  var status = Status.stopped
  var rate: Double?
  var rates: ClosedRange<Double> = 1...1
  var canSeek = false

  init() {}

  init(_ values: BusDictionary) { merge(values) }

  /// Takes in a `PropertiesChanged`, which has only what has changed.
  mutating func merge(_ values: BusDictionary) {
    if let metadata = values["Metadata"] { take(metadata: metadata.asDictionary ?? BusDictionary()) }
    if let text = values["PlaybackStatus"]?.asString { status = Status(rawValue: text) ?? .stopped }
    if let number = values["Position"]?.microseconds { position = number }
    if let number = values["Rate"]?.number, number.isFinite { rate = number }
    if let flag = values["CanSeek"]?.asBool { canSeek = flag }
    let low = values["MinimumRate"]?.number ?? rates.lowerBound
    let high = values["MaximumRate"]?.number ?? rates.upperBound
    if low <= high { rates = low...high }
  }

  private mutating func take(metadata: BusDictionary) {
    address = metadata["xesam:url"]?.asString.flatMap { OpenAddress($0) }
    title = metadata["xesam:title"]?.text
    artist = metadata["xesam:artist"]?.asStrings?.first.flatMap { BusValue.string($0).text }
    album = metadata["xesam:album"]?.text
    let id = metadata["mpris:trackid"]
    track = id?.asObjectPath?.string ?? id?.asString
    length = metadata["mpris:length"]?.microseconds.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The title to announce.
  var shownTitle: String { title ?? address.map { DisplayText.clean($0.lastPart) } ?? "" }

  /// The state as `org.segue.open.Media` has it; nil where nothing is open that may go to another device.
  var userInfo: [Value: Value]? {
    guard let address else { return nil }
    var entries: [Value: Value] = [.string("uri"): .url(address.string)]
    if let length {
      entries[.string("duration")] = .double(Self.seconds(length))
      if let position, position >= 0 { entries[.string("position")] = .double(Self.seconds(min(position, length))) }
    } else {
      entries[.string("live")] = .bool(true)
    }
    if let rate, (0.1...10).contains(rate) { entries[.string("rate")] = .double(rate) }
    // Some say of a film that plays that it is stopped.
    if status != .stopped { entries[.string("playing")] = .bool(status == .playing) }
    entries[.string("title")] = title.map { .string($0) }
    entries[.string("artist")] = artist.map { .string($0) }
    entries[.string("album")] = album.map { .string($0) }
    return entries
  }

  private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }
}

extension BusValue {
  /// A time; players have sent it as each of these.
  fileprivate var microseconds: Int64? {
    switch self {
    case .int64(let value): value
    case .uint64(let value): Int64(exactly: value)
    case .int32(let value): Int64(value)
    case .uint32(let value): Int64(value)
    case .double(let value): Int64(exactly: value.rounded())
    default: nil
    }
  }

  fileprivate var number: Double? { if case .double(let value) = self { value } else { nil } }

  /// On one line, and not endless; nil where nothing is left.
  fileprivate var text: String? {
    let text = asString.map { DisplayText.clean($0, maximum: Limits.titleMaximum) } ?? ""
    return text.isEmpty ? nil : text
  }
}
