import SegueBus
import SegueControl
import SegueCore
import SegueState

// What applications and users ask of the store: to delete copies, and to list them.

extension Daemon {
  /// Deletes the application's copies with these persistent identifiers, or all of them, and what rests on them
  /// (semantics C13). Throws `system`; nothing has changed then.
  func deleteSaved(_ identifiers: Set<String>?, of appID: AppID) throws(SegueError) {
    func fits(_ identifier: String?) -> Bool {
      guard let identifiers else { return true }
      return identifier.map { identifiers.contains($0) } ?? false
    }
    let removed =
      store.exists
      ? try askStore { store throws(SegueError) in
        try store.remove(
          store.copies().filter { $0.device == nil && $0.offer.appID == appID && fits($0.persistentIdentifier) }
            .map { $0.key })
      } : []
    for (id, entry) in local.entries where entry.appID == appID {
      // What is being saved was asked for before this, and would bring it back.
      for kind in [StoredCopy.Kind.search, .snapshot] { save(.abandoned(.copy(id, kind))) }
      if fits(entry.snapshot?.persistentIdentifier), entry.hasSnapshot { local.forget(id) }
    }
    forgotten(removed)
    snapshots.abandoned { local.entries[$0]?.appID == appID }
    localOffersChanged()
    log.debug("\(removed.count) copies of \(appID.string) were deleted")
  }

  /// The arguments of DeleteSaved.
  static func identifiers(_ arguments: [BusValue]) throws(SegueError) -> Set<String>? {
    guard let identifiers = arguments.first?.asStrings, let all = arguments.last?.asBool else {
      throw SegueError(.invalidArgument, "Which copies are to be deleted is not said.")
    }
    return all ? nil : Set(identifiers)
  }

  /// Everything that is kept here, for ListStored.
  func storedCopies() throws(SegueError) -> [StoredRow] {
    let copies = try askStore { store throws(SegueError) in try store.copies() }
    let now = secondsSince1970()
    return copies.map { copy in
      StoredRow(
        copy, appName: registry.application(copy.offer.appID)?.name ?? "",
        deviceName: copy.device.map(name) ?? "", now: now)
    }
  }
}
