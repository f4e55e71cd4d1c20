import SegueCore

/// Tells a program that is started for a page which page that is: a program that only hands the page on, as `xdg-open`
/// does, would otherwise send it back for ever. Other pages that such a program, or a browser, opens are opened.
public enum WebLinkMark {
  /// The variable of the environment.
  public static let variable = "SEGUE_OPENS_LINK"

  /// The variable's value for a page: a short hash, since a page's address may be as long as an argument may.
  public static func value(_ page: [UInt8]) -> String {
    // This is FNV-1a. The hash keeps no secret.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in page { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }
}
