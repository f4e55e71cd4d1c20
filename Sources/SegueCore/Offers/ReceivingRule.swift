/// A user's decision about one paired device: the fate of offers and texts that are sent from there.
public enum ReceivingRule: String, CaseIterable, Sendable {
  /// A notification shows it, and a click opens it.
  case ask
  /// It opens at once, unless the screen is locked or another continuation is under way.
  case open
  /// It is refused, and the sender is told so.
  case refuse
}
