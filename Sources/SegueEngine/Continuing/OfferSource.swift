import SegueCore

/// Where an offer comes from, and so where its state is fetched.
public enum OfferSource: Hashable, Sendable {
  /// Another device, over the link.
  case device(DeviceID)
  /// The store of this device.
  case kept(StoredCopy.Key)
  /// Another application of this device (semantics V19).
  case here
  /// Nowhere: the user has followed a link to a page that an application of this device opens (semantics W5).
  case link(WebURL)

  /// The device whose activity it is, and which is told of a continuation; nil for this device.
  public var device: DeviceID? {
    switch self {
    case .device(let device): device
    case .here, .link: nil
    case .kept(let key): key.device
    }
  }

  private static let link = "link"

  /// The text in the journal of continuations.
  var text: String {
    switch self {
    case .device(let device): device.description
    case .here: DeviceID.here
    case .link(let url): "\(Self.link) \(url.string)"
    case .kept(let key): "\(key.kind.rawValue) \(key.activity.hex) \(DeviceID.recorded(key.device))"
    }
  }

  /// Nil for a text that `text` never returns.
  init?(recorded text: String) {
    if let device = DeviceID(recorded: text) {
      self = .device(device)
      return
    }
    if text == DeviceID.here {
      self = .here
      return
    }
    let words = text.parts(at: " ")
    if words.count == 2, words[0] == Self.link, let url = WebURL(words[1]) {
      self = .link(url)
      return
    }
    guard words.count == 3, let kind = StoredCopy.Kind(rawValue: words[0]), let id = Identifier(hex: words[1]) else {
      return nil
    }
    let device = DeviceID(recorded: words[2])
    guard device != nil || words[2] == DeviceID.here else { return nil }
    self = .kept(StoredCopy.Key(device: device, activity: id, kind: kind))
  }
}

extension DeviceID {
  /// The word that stands for this device in its own files.
  public static let here = "here"

  /// Reads a device from one of this device's own files; nil for this device.
  public static func recorded(_ device: DeviceID?) -> String { device?.description ?? here }
}
