import SegueBus
import SegueClient
import SegueCore

/// The open documents, and the requests to the daemon about them: which activity type the application declares for
/// one, and in which container it lies. A part of the application.
final class Documents {
  private unowned(unsafe) let application: Application
  private var all: [Document] = []
  /// The documents whose request has not been sent to the daemon yet.
  private var waiting: [Document] = []
  private var isAsking = false

  init(_ application: Application) { self.application = application }

  func add(_ document: Document) { all.append(document) }

  func forget(_ document: Document) {
    all.removeAll { $0 === document }
    waiting.removeAll { $0 === document }
  }

  /// Removes a responder from all other documents: it goes with one at most.
  func takeOff(_ companion: Responder, exceptFrom document: Document) {
    for other in all where other !== document { other.remove(companion) }
  }

  /// Sends a document's request to the daemon, now or when the door opens. One is under way at a time, so that a
  /// thousand open documents do not fill the connection.
  func ask(about document: Document) {
    if !waiting.contains(where: { $0 === document }) { waiting.append(document) }
    askNext()
  }

  private func askNext() {
    guard let door = application.registration.door, !isAsking, !waiting.isEmpty else { return }
    let document = waiting.removeFirst()
    guard let (number, url) = document.openRequest else { return askNext() }
    isAsking = true
    door.findDocument(url.string, document.mimeType.string) { [self] result in
      guard application.registration.door === door else { return }
      isAsking = false
      switch result {
      case .success(let answer):
        let type = (document.isViewed ? answer.viewerType : nil) ?? answer.activityType
        document.found(.init(activityType: type, container: answer.container), request: number)
      case .failure(let error):
        application.log("the daemon was asked about \(url.string): \(error.message)")
      }
      askNext()
    }
  }

  /// Called when the daemon is a new one, or containers or declarations have changed: every answer may differ now.
  func doubt() {
    for document in all { document.doubt() }
  }

  /// Forgets the requests to a daemon that is gone, and so will not answer; the next daemon is asked again.
  func forgetRequests() {
    waiting = []
    isAsking = false
  }

  func close() {
    all = []
    forgetRequests()
  }
}
