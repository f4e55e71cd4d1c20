import SegueCore

/// The folders that this device shares with others, by their ids (containers, semantics R8), and the marks by which offers
/// name them: a mark tells nothing to a device that does not have the folder, and is another one in each offer.
struct SharedFolders {
  private(set) var ids: [String] = []
  /// The activities of this device whose files are being looked for.
  private var looking: [Identifier: FileURL] = [:]
  private let crypto: (any PairingCrypto & Sendable)?

  init(_ crypto: (any PairingCrypto & Sendable)?) { self.crypto = crypto }

  mutating func replace(by ids: [String]) {
    self.ids = ids
    // What is found in the former ones does not count any more.
    looking = [:]
  }

  /// Whether the file is to be looked for; false: somebody does already.
  mutating func looks(for file: FileURL, of activity: Identifier) -> Bool {
    looking.updateValue(file, forKey: activity) != file
  }

  /// Whether this file was looked for.
  mutating func found(_ file: FileURL, of activity: Identifier) -> Bool {
    guard looking[activity] == file else { return false }
    looking[activity] = nil
    return true
  }

  /// The mark of a folder in the offer of this activity; nil: this device cannot make marks.
  func mark(_ id: String, in activity: Identifier) -> [UInt8]? {
    guard let crypto else { return nil }
    let bytes = Array("segue folder/1".utf8) + activity.bytes + Array(id.utf8)
    return Array(crypto.hash(bytes).prefix(OfferFile.markLength))
  }

  /// Where the file of another device's offer is; nil: the offer does not say, or this device cannot tell.
  func place(of offer: Offer) -> FilePlace? {
    guard let file = offer.file, crypto != nil else { return nil }
    let isShared = !file.folder.isEmpty && ids.contains { mark($0, in: offer.id) == file.folder }
    if isShared { return .shared }
    return file.isGiven ? .given : .elsewhere
  }
}
