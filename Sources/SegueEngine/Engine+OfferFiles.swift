import SegueCore

// What an offer says of its activity's file, before somebody chooses it (semantics O3).

extension Engine {
  /// Looks in which shared folder the file of this activity lies, if that is not known. Returns whether the offer waits for
  /// the answer, which takes a moment: it would be shown twice otherwise.
  mutating func looksForFile(of activity: Identifier) -> Bool {
    guard let entry = origin.local.entries[activity], let file = entry.activity.file, entry.folder == nil else {
      return false
    }
    // Without shared folders there is nothing to look for.
    guard !folders.ids.isEmpty else {
      note(activity, file, in: [])
      return false
    }
    if folders.looks(for: file, of: activity) { turn.emit(.findFile(activity, file)) }
    return true
  }

  mutating func foundFile(_ activity: Identifier, _ file: FileURL, _ place: Event.FoundPlace) {
    guard folders.found(file, of: activity), origin.local.entries[activity] != nil else { return }
    switch place {
    case .unknown: break
    case .outside: note(activity, file, in: [])
    case .folder(let id): note(activity, file, in: folders.mark(id, in: activity))
    }
    turn.hasChangedOffersHere = true
  }

  private mutating func note(_ activity: Identifier, _ file: FileURL, in folder: [UInt8]?) {
    origin.change { $0.found(activity, file, in: folder) }
  }

  /// Other folders are shared now, or they lie elsewhere. Offers of other devices may look otherwise, too.
  mutating func foldersChanged(to ids: [String]) {
    folders.replace(by: ids)
    turn.hasChangedOffers = true
    for entry in origin.local.entries.values.sorted(by: { $0.since < $1.since }) {
      guard let file = entry.activity.file else { continue }
      note(entry.activity.id, file, in: nil)
      if !looksForFile(of: entry.activity.id) { turn.hasChangedOffersHere = true }
    }
  }

  /// What a person should know of the offer's file before choosing it, as a sentence without its full stop; nil: nothing.
  func fileSentence(_ offer: Offer, of device: DeviceID) -> String? {
    folders.place(of: offer)?.sentence(device: devices.name(of: device))
  }
}
