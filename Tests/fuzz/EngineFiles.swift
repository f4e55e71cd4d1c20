import SegueCore

@testable import SegueEngine

/// The files of an `EngineWorld`, as an outside observer knows them: which are brought here, which other devices ask
/// for, and which ones applications were asked to open.
final class FilesWorld {
  private var wanted: Set<FileID> = []
  private var given: [FileID: ChannelID] = [:]
  private var sent: Set<FileID> = []
  private var asked: [FileID: SessionID] = [:]
  private var channels: Set<ChannelID> = []
  private var ended: Set<FileID> = []

  var isAtRest: Bool { wanted.isEmpty && given.isEmpty && channels.isEmpty }

  func restart() { (wanted, given, sent, asked, channels, ended) = ([], [:], [], [:], [], []) }

  func left(_ session: SessionID) { asked = asked.filter { $0.value != session } }

  /// Another device opens a channel; the link bounds how many there are.
  func opened(_ channel: ChannelID) -> ChannelID? {
    guard channels.count < 8 else { return nil }
    channels.insert(channel)
    return channel
  }

  /// Something happens to a file, likely or not.
  func event(_ bytes: inout Bytes, _ session: SessionID, _ error: SegueError?) -> Event? {
    let id = bytes.any(of: wanted.sorted() + given.keys.sorted()) ?? FileID(bytes.byte())
    switch bytes.below(8) {
    case 0: return .file(.progressed(id, done: UInt64(bytes.byte()), of: 255))
    case 1: return .file(.brought(come(id), BroughtFile(path: "/a", size: 1, digest: nil)))
    case 2: return .file(.failed(id, error ?? SegueError(.handoffFailed)))
    case 3: return .file(.interrupted(id))
    case 4: return .file(.sent(id, done: UInt64(id & 7), of: 7))
    case 5: return .file(.ended(gone(id)))
    default:
      guard let id = bytes.any(of: asked.keys.sorted()), let owner = asked[id] else { return nil }
      let isOwner = bytes.bool()
      if isOwner { asked[id] = nil }
      return .door(isOwner ? owner : session, .openedFile(id, error))
    }
  }

  private func come(_ id: FileID) -> FileID {
    if wanted.remove(id) != nil { ended.insert(id) }
    return id
  }

  private func gone(_ id: FileID) -> FileID {
    if let channel = given.removeValue(forKey: id) {
      ended.insert(id)
      channels.remove(channel)
    }
    return id
  }

  func perform(_ effect: FileEffect, sessions: Set<SessionID>, paired: Set<DeviceID>) {
    switch effect {
    case .bring(let id, _, let device):
      check(paired.contains(device), "a file of a device that is not paired")
      check(!ended.contains(id), "a file that has ended is asked for")
      wanted.insert(id)
      check(wanted.count <= Limits.files, "\(wanted.count) files at once")
    case .drop(let id, _):
      check(wanted.remove(id) != nil, "a file is dropped that is not on its way")
      ended.insert(id)
    case .tell(let session, _, _, _): check(sessions.contains(session), "an application that is not there is told")
    case .open(let id, let channel, _, let session):
      check(sessions.contains(session), "an application that is not there is to open a file")
      check(channels.contains(channel), "a file on no channel")
      check(given.updateValue(channel, forKey: id) == nil && !ended.contains(id), "a file's number is used again")
      check(given.count <= Limits.files, "\(given.count) files are given at once")
      asked[id] = session
      let count = asked.values.count { $0 == session }
      check(count <= Limits.filesUnanswered, "\(count) files that an application has not answered")
    case .send(let id): check(given[id] != nil && sent.insert(id).inserted, "a file is sent twice, or never opened")
    case .refuse(let channel, _):
      check(channels.remove(channel) != nil, "a channel is refused twice")
      for (id, own) in given where own == channel { _ = gone(id) }
    case .end(let id, _):
      check(sent.contains(id) && given[id] != nil, "a file ends that is not sent")
      _ = gone(id)
    }
  }
}
