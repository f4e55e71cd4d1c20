import CPage

/// A web page as one browser hands it to another.
final class Page {
  let host: UnsafePointer<segue_plugin_host>
  private(set) var address: Address?
  var title: String?
  /// How much of the page's width lies left of the window, and of its height above it: 0 to 1. Not pixels, because on
  /// another screen the page has another size.
  var scrollX = 0.0
  var scrollY = 0.0
  /// As the user has it on this screen.
  var zoom = 1.0
  var fields: Fields

  init(host: UnsafePointer<segue_plugin_host>) throws(Failure) {
    self.host = host
    fields = try Fields(host: host)
  }

  /// Goes to a page, or to none. Another page than before starts anew, so that no text, place or field gets into a page
  /// that it does not belong to.
  func go(to next: Address?) throws(Failure) {
    if let address, next.map({ !address.isSamePage(as: $0) }) ?? true {
      fields = try Fields(host: host)
      title = nil
      scrollX = 0
      scrollY = 0
    }
    address = next
  }

  /// Tells the activity, too, what is on it: then a browser can show the page where there is no application for it.
  func describe(_ activity: OpaquePointer) -> CInt {
    guard let address else { return 0 }
    let activities = host.pointee.activities.pointee
    if let title {
      // The library refuses a longer title.
      let result = activities.set_title(activity, title.prefix(bytes: 512))
      guard result >= 0 else { return result }
    }
    return activities.set_webpage_url(activity, address.url)
  }

  var summary: String { title ?? address?.url ?? "" }
}

/// The result of a plugin's function that fails: a negative errno.
struct Failure: Error {
  let result: CInt

  static var malformed: Failure { Failure(result: -EINVAL) }
  static var tooLarge: Failure { Failure(result: -E2BIG) }
}

extension String {
  /// The beginning that fits into so many bytes, cut between characters of Unicode.
  func prefix(bytes most: Int) -> String {
    guard utf8.count > most else { return self }
    var end = max(most, 0)
    let bytes = Array(utf8)
    while end > 0, bytes[end] & 0xC0 == 0x80 { end &-= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
