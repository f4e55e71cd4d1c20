import SegueCore

/// Tells a program that is started for a page which one that is: a program that only hands the page on, as `xdg-open`
/// does, would have it come back for ever. What such a program, or a browser, opens besides is opened.
public enum LinkMark {
  /// The variable of the environment.
  public static let variable = "SEGUE_OPENS_LINK"

  /// Its value for a page: short, since a page's address may be as long as an argument may.
  public static func value(_ page: [UInt8]) -> String {
    // FNV-1a. Nothing is kept from anybody by it.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in page { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }
}
