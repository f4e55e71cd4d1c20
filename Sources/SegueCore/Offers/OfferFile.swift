/// An offer says this of the file that its activity is about, before somebody chooses it (semantics O3): neither a path nor
/// a name.
public struct OfferFile: Equatable, Sendable {
  /// A mark of the shared folder that the file lies in; empty: it lies in none. Only who has the folder knows the mark.
  public var folder: [UInt8]
  /// Whether the application gives the file to the device that continues the activity.
  public var isGiven: Bool

  /// The bytes of a mark.
  public static let markLength = 8

  public init(folder: [UInt8], isGiven: Bool) {
    self.folder = folder
    self.isGiven = isGiven
  }

  /// Whether another device may have said so.
  static func isFolder(_ bytes: [UInt8]) -> Bool { bytes.isEmpty || bytes.count == markLength }
}

/// Where the file of an offer is, for the device that may continue it.
public enum FilePlace: String, Sendable {
  /// In a folder that both devices share.
  case shared
  /// On the other device, in no folder that both share.
  case elsewhere
  /// The same, and that device gives it to who continues the activity.
  case given

  /// The sentence that a person should read before choosing the offer; nil: none. `device`: the other device's name.
  public func sentence(device: String) -> String? {
    switch self {
    case .shared: nil
    case .elsewhere: "Its file is on \(device), in no folder that both devices share"
    case .given: "Its file can be brought from \(device)"
    }
  }
}

extension FileURL {
  /// The file that a state is about: its document, or the `uri` of an open type. Nil where that is no file's URL.
  public init?(aboutWhich userInfo: [Value: Value], _ type: ActivityType) {
    guard let key = Self.keyOfFile(in: userInfo, type), let url = userInfo[key]?.url,
      let file = FileURL.split(url)?.file
    else { return nil }
    self = file
  }

  /// The key under which that file stands.
  public static func keyOfFile(in userInfo: [Value: Value], _ type: ActivityType) -> Value? {
    if userInfo[documentKey] != nil { return documentKey }
    return type.isOpen ? openKey : nil
  }

  private static var openKey: Value { .string("uri") }
}
