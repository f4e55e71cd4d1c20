import SegueCore

/// The texts that users of other devices have sent here. They are kept in memory alone, each for `Limits.textTime`.
struct ReceivedTexts {
  private(set) var all: [ReceivedText] = []
  /// The texts that are shown once the screen is unlocked.
  private var held: Set<Identifier> = []

  /// When the next text is forgotten.
  var next: Instant? { all.map { $0.received + Limits.textTime }.min() }

  func text(_ id: Identifier) -> ReceivedText? { all.first { $0.id == id } }

  /// Returns the texts that give way.
  mutating func add(_ text: ReceivedText, isHeld: Bool) -> [Identifier] {
    all.append(text)
    if isHeld { held.insert(text.id) }
    let own = all.filter { $0.device == text.device }
    return remove(Set(own.dropLast(Limits.textsPerDevice).map { $0.id }))
  }

  mutating func takeHeld() -> [ReceivedText] {
    defer { held = [] }
    return all.filter { held.contains($0.id) }
  }

  /// Returns the texts that are forgotten.
  mutating func expire(at now: Instant) -> [Identifier] {
    remove(Set(all.filter { now >= $0.received + Limits.textTime }.map { $0.id }))
  }

  /// The device is no longer paired. Returns the texts that are forgotten.
  mutating func forget(_ device: DeviceID) -> [Identifier] {
    remove(Set(all.filter { $0.device == device }.map { $0.id }))
  }

  private mutating func remove(_ gone: Set<Identifier>) -> [Identifier] {
    let ids = all.map { $0.id }.filter { gone.contains($0) }
    all.removeAll { gone.contains($0.id) }
    held.subtract(gone)
    return ids
  }
}

/// A text that the user of another device has sent here: lines that are fit to be shown.
public struct ReceivedText: Equatable, Sendable {
  public let id: Identifier
  public let device: DeviceID
  public let text: String
  public let received: Instant
}
