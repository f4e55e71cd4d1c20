/// The connections to a session, and what is known of who is at the other end.
struct ViewerTable {
  private struct Entry {
    let channel: FrameChannel
    let isRemote: Bool
    var isSilent = true
  }

  private var entries: [ShellSession.ViewerID: Entry] = [:]
  private var lastID = 0

  var isEmpty: Bool { entries.isEmpty }

  subscript(id: ShellSession.ViewerID) -> FrameChannel? { entries[id]?.channel }

  /// The viewers that have sent no greeting yet.
  var silent: [ShellSession.ViewerID] { entries.filter { $0.value.isSilent }.map(\.key) }
  /// The viewers on other devices.
  var remote: [ShellSession.ViewerID] { entries.filter { $0.value.isRemote }.map(\.key) }
  /// The channels of the viewers that have sent their greeting.
  var greeted: [FrameChannel] { entries.values.filter { !$0.isSilent }.map(\.channel) }

  func isSilent(_ id: ShellSession.ViewerID) -> Bool { entries[id]?.isSilent ?? false }
  func isRemote(_ id: ShellSession.ViewerID) -> Bool { entries[id]?.isRemote ?? false }

  mutating func add(_ channel: FrameChannel, isRemote: Bool) -> ShellSession.ViewerID {
    lastID += 1
    entries[lastID] = Entry(channel: channel, isRemote: isRemote)
    return lastID
  }

  mutating func greeted(_ id: ShellSession.ViewerID) { entries[id]?.isSilent = false }

  /// Gives its channel, which stays open.
  @discardableResult mutating func remove(_ id: ShellSession.ViewerID) -> FrameChannel? {
    entries.removeValue(forKey: id)?.channel
  }
}
