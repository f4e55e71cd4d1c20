import Foundation
import Glibc
import Testing

@testable import Segue

/// Streams over descriptors of both kinds that the library hands out.
struct StreamTests {
  @Test(arguments: StreamKind.allCases)
  func messagesAndPartsGoBothWays(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    try await one.writeMessage(Data("hello".utf8))
    #expect(try await other.readMessage() == Data("hello".utf8))
    try await other.write(Data("a part".utf8))
    other.finish()
    var read = Data()
    for try await part in one { read += part }
    #expect(read == Data("a part".utf8))
    // It has finished, and can be read still.
    try await one.writeMessage(Data("after".utf8))
    #expect(try await other.readMessage() == Data("after".utf8))
    one.finish()
    #expect(try await other.readMessage() == nil)
  }

  @Test func aMessageThatIsTooLongIsNotRead() async throws {
    let (one, other) = try streamPair(.pipes)
    try await one.writeMessage(Data(count: 100))
    await #expect(throws: SegueError.self) { try await other.readMessage(maximum: 99) }
  }

  @Test func aPeerThatIsGoneIsAnError() async throws {
    let (one, other) = try streamPair(.sockets)
    close(other.input)
    await #expect(throws: (any Error).self) { while true { try await one.write(Data(count: 1 << 16)) } }
    // The other one's object would close it again.
    _ = dup2(other.output, other.input)
  }
}
