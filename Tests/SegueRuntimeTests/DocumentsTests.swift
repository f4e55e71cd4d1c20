import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct DocumentsTests {
  private let offline: Offline

  init() throws { offline = try Offline() }

  @Test func R7_aResponderGoesWithOneDocument() throws {
    let (one, other, activity) = (try offline.document(), try offline.document(), offline.activity())
    let companion = offline.responder()
    try one.setUserActivity(activity)
    try one.add(companion)
    #expect(companion.userActivity === activity)
    try other.add(companion)
    #expect(companion.userActivity == nil)
  }

  @Test func R7_aClosedDocumentIsForgotten() throws {
    let (one, other) = (try offline.document(), try offline.document())
    let companion = offline.responder()
    try one.add(companion)
    one.close()
    one.close()
    try other.add(companion)
    try other.setUserActivity(offline.activity())
    #expect(companion.userActivity === other.userActivity)
    #expect(throws: SegueError.self) { try one.add(companion) }
  }
}
