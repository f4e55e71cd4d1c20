import SegueCore

/// A device that was introduced here, and waits for the user's decision: ListIntroductions.
public struct IntroductionRow: ControlValue {
  public var id = ""
  /// Its name on the device that introduced it.
  public var name = ""
  /// The start of its id, in words.
  public var words = ""
  public var addresses: [String] = []
  /// The id of the device that introduced it, and that device's name here.
  public var introducer = ""
  public var introducerName = ""

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("name", &name)
    fields("words", &words)
    fields("addresses", &addresses)
    fields("introducer", &introducer)
    fields("introducer-name", &introducerName)
  }
}
