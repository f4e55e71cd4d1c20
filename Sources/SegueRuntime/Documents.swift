import SegueBus
import SegueCore

/// The open documents, and what the daemon is asked about them: which activity type the application declares for one,
/// and which container it lies in. A part of the application.
final class Documents {
  private unowned(unsafe) let application: Application
  private var all: [Document] = []
  /// Those about whom the daemon is still to be asked.
  private var waiting: [Document] = []
  private var isAsking = false

  init(_ application: Application) { self.application = application }

  func add(_ document: Document) { all.append(document) }

  func forget(_ document: Document) {
    all.removeAll { $0 === document }
    waiting.removeAll { $0 === document }
  }

  /// A responder goes with one document at the most.
  func takeOff(_ companion: Responder, exceptFrom document: Document) {
    for other in all where other !== document { other.remove(companion) }
  }

  /// Takes a document's question to the daemon, now or when the door opens. One is asked at a time, so that a thousand
  /// open documents do not fill the connection.
  func ask(about document: Document) {
    if !waiting.contains(where: { $0 === document }) { waiting.append(document) }
    askNext()
  }

  private func askNext() {
    guard let door = application.registration.door, !isAsking, !waiting.isEmpty else { return }
    let document = waiting.removeFirst()
    guard let (number, url) = document.openQuestion else { return askNext() }
    isAsking = true
    door.findDocument(url.string, document.mimeType.string) { [self] result in
      guard application.registration.door === door else { return }
      isAsking = false
      switch result {
      case .success(let answer):
        let type = (document.isViewed ? answer.viewerType : nil) ?? answer.activityType
        document.found(.init(activityType: type, container: answer.container), question: number)
      case .failure(let error):
        application.log("the daemon was asked about \(url.string): \(error.message)")
      }
      askNext()
    }
  }

  /// The daemon is a new one, or containers or declarations have changed: every answer may be another one now.
  func doubt() {
    for document in all { document.doubt() }
  }

  /// Whatever the daemon was asked, it does not answer any more; the next one is asked again.
  func forgetQuestions() {
    waiting = []
    isAsking = false
  }

  func close() {
    all = []
    forgetQuestions()
  }
}
