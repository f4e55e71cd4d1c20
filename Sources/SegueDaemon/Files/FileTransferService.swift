import SegueBus
import SegueCore
import SegueEngine

/// Files that no container carries, between devices: passes the engine's decisions to the objects that carry them out.
final class FileTransferService {
  private let wanted: WantedFiles
  private let given: GivenFiles
  private let door: DoorService
  private let cleaner: FileWorker

  init(
    _ cache: FileCache, link: LinkService, door: DoorService, loop: EventLoop, tell: @escaping (Event) -> Void
  ) {
    wanted = WantedFiles(cache, link: link, loop: loop, tell: tell)
    given = GivenFiles(link: link, door: door, loop: loop, tell: tell)
    self.door = door
    cleaner = FileWorker(loop)
    _ = cleaner.run({ cache.clean() }, done: {})
  }

  func perform(_ effect: FileEffect) {
    switch effect {
    case .bring(let id, let request, let device): wanted.bring(id, request, device)
    case .drop(let id, let code): wanted.drop(id, code)
    case .tell(let session, let transfer, let done, let size): door.tellFileProgress(transfer, done, size, session)
    case .open(let id, let channel, let request, let session): given.open(id, channel, request, session)
    case .send(let id): given.send(id)
    case .refuse(let channel, let error): given.refuse(channel, error)
    case .end(let id, let code): given.end(id, code)
    }
  }

  func close() {
    wanted.close()
    given.close()
  }
}
