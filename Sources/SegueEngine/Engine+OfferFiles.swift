import SegueCore

// What an offer says of its activity's file, before somebody chooses it (semantics O3).

extension Engine {
  /// Looks in which shared folder the file of this activity lies, if that is not known.
  mutating func findFile(of activity: Identifier) {
    guard let entry = origin.local.entries[activity], let file = entry.activity.file, entry.folder == nil else {
      return
    }
    // Without shared folders there is nothing to look for.
    if folders.ids.isEmpty { return found(activity, file, in: []) }
    turn.emit(.findFile(activity, file))
  }

  /// The file lies in this shared folder; nil: in none.
  mutating func foundFile(_ activity: Identifier, _ file: FileURL, in folder: String?) {
    // The folder is not shared any more: its file is looked for again, or was.
    if let folder, !folders.ids.contains(where: { $0.isSame(as: folder) }) { return }
    found(activity, file, in: folder.map { folders.mark($0, in: activity) } ?? [])
  }

  private mutating func found(_ activity: Identifier, _ file: FileURL, in folder: [UInt8]?) {
    if origin.change({ $0.found(activity, file, in: folder) }) { turn.hasChangedOffersHere = true }
  }

  /// Other folders are shared now, or they lie elsewhere. Offers of other devices may look otherwise, too.
  mutating func foldersChanged(to ids: [String]) {
    folders.replace(by: ids)
    turn.hasChangedOffers = true
    for entry in origin.local.entries.values.sorted(by: { $0.since < $1.since }) {
      guard let file = entry.activity.file else { continue }
      found(entry.activity.id, file, in: nil)
      findFile(of: entry.activity.id)
    }
  }

  /// What a person should know of the offer's file before choosing it, as a sentence without its full stop; nil: nothing.
  func fileSentence(_ offer: Offer, of device: DeviceID) -> String? {
    folders.place(of: offer)?.sentence(device: devices.name(of: device))
  }
}
