import Crypto
import Foundation
import SegueCore
import Testing

@testable import SegueState

@Suite struct StateFileTests {
  private let folder = "/tmp/segue-state-\(UUID().uuidString.prefix(8))"
  private let name = "record"
  private static let checksum = Checksum { Array(SHA256.hash(data: $0)) }

  private var path: String { "\(folder)/\(name)" }

  /// The state that the next process finds.
  private func read() throws -> [UInt8]? { try StateFile(try StateFolder(folder), name).read() }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func whatWasWrittenLastIsRead() throws {
    defer { remove() }
    #expect(try read() == nil)
    #expect(!FileManager.default.fileExists(atPath: path))
    for text in ["first", "a longer second", "", "third", "4"] {
      let record = StateFile(try StateFolder(folder), name)
      _ = try record.read()
      try record.write(Array(text.utf8))
      #expect(try record.read() == Array(text.utf8))
    }
    let record = StateFile(try StateFolder(folder), name)
    _ = try record.read()
    for number in 0..<11 {
      try record.write([UInt8](repeating: UInt8(number), count: 11 - number))
    }
    #expect(try record.read() == [10])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  /// A process that ends in the middle of a write has written the first of its bytes.
  @Test(arguments: [300, 200]) func aTornWriteLeavesTheStateBefore(_ length: Int) throws {
    defer { remove() }
    let folder = try StateFolder(folder)
    let record = StateFile(folder, name)
    let old = [UInt8](repeating: 2, count: 250)
    let new = [UInt8](repeating: 3, count: length)
    for state in [[UInt8](repeating: 1, count: 250), old] { try record.write(state) }
    record.overwriteFormer()
    let before = try bytes()
    try record.write(new)
    record.overwriteFormer()
    let after = try bytes()
    // Then the former state is overwritten, so that no byte of it is left.
    let written = 12 + length + Checksum.length
    let place = Limits.fileLength
    #expect(after.count == before.count && after[place...].allSatisfy { $0 == 0 })
    #expect(after[written..<place].allSatisfy { $0 == 0 } && after != before)
    // The bytes of the content are all equal, so one in the middle stands for all: the checksum does not match,
    // whichever of them is the first that is missing.
    func cuts(_ length: Int) -> [Int] {
      Array(0...13) + [12 + length / 2] + Array((11 + length)...(12 + length + Checksum.length))
    }
    for count in cuts(new.count) + cuts(old.count).map({ place + $0 }) {
      try put(Array(after[..<count] + before[count...]))
      #expect(try StateFile(folder, name).read() == (count >= written ? new : old), "\(count)")
      // A torn state is overwritten as well, by the process that reads the file next.
      #expect(try bytes() == (count >= written ? after : before), "\(count)")
    }
    // The next state takes the place of the torn one.
    try put(Array(after[..<100] + before[100...]))
    let next = StateFile(folder, name)
    _ = try next.read()
    try next.write(new)
    next.overwriteFormer()
    #expect(try bytes() == after)
  }

  /// A former state can never be read in the file, whatever its content and length.
  @Test func onlyTheLastStateIsInTheFile() throws {
    defer { remove() }
    let states = ["a long secret to begin with", "short", "", "a much longer secret than the first one", "x"]
    let folder = try StateFolder(folder)
    let record = StateFile(folder, name)
    for (index, state) in states.enumerated() {
      try record.write(Array(state.utf8))
      record.overwriteFormer()
      let text = String(decoding: try bytes(), as: UTF8.self)
      for other in states where other.count > 1 { #expect(text.contains(other) == (other == state), "\(index)") }
    }
    // The same holds after a process that was killed before it could overwrite the last state but one.
    let before = try bytes()
    try record.write(Array("following".utf8))
    record.overwriteFormer()
    var torn = try bytes()
    torn.replaceSubrange(..<Limits.fileLength, with: before[..<Limits.fileLength])
    try put(torn)
    #expect(try read(folder) == Array("following".utf8))
    #expect(!String(decoding: try bytes(), as: UTF8.self).contains("x"))
  }

  /// The first two writes make the file longer.
  @Test func aFileThatEndsAnywhereHoldsTheStateBeforeOrNone() throws {
    defer { remove() }
    let folder = try StateFolder(folder)
    let record = StateFile(folder, name)
    let states = [[UInt8](repeating: 1, count: 40), [UInt8](repeating: 2, count: 30)]
    for (number, state) in states.enumerated() {
      let start = number * Limits.fileLength
      let before = number == 0 ? [] : try bytes()
      try record.write(state)
      // The file has this content before the former state is overwritten.
      let all = before + (try bytes()).dropFirst(before.count)
      #expect(all.count == start + 12 + state.count + Checksum.length)
      for end in start..<all.count {
        try put(Array(all[..<end]))
        if end == 0 {
          #expect(try StateFile(folder, name).read() == nil)
        } else if number == 0 {
          #expect(code { try StateFile(folder, name).read() } == .invalidArgument, "\(end)")
        } else {
          #expect(try StateFile(folder, name).read() == states[0], "\(end)")
        }
      }
      try put(all)
    }
    #expect(try read(folder) == states[1])
  }

  @Test func aChangedByteIsFound() throws {
    defer { remove() }
    let folder = try StateFolder(folder)
    let record = StateFile(folder, name)
    try record.write([1, 2, 3])
    let whole = try bytes()
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0x11
      try put(changed)
      #expect(code { try StateFile(folder, name).read() } == .invalidArgument, "\(index)")
    }
  }

  @Test(arguments: ["# sha256", "zero", "large", "text", "former"])
  func aFileWithoutAStateIsDamagedAndMadeAnew(_ what: String) throws {
    defer { remove() }
    let folder = try StateFolder(folder)
    let content: [UInt8] =
      switch what {
      case "zero": [UInt8](repeating: 0, count: 100)
      case "large": [UInt8](repeating: 0xFF, count: 600_000)
      // A checksum of nothing.
      case "text": Self.checksum.added(to: [])
      // The file had this format before there were places.
      case "former": Self.checksum.added(to: try CBOR.encode(["version": .integer(1), "heard": .array([])]))
      default: Array(what.utf8)
      }
    try put(content)
    chmod(path, 0o600)
    let record = StateFile(folder, name)
    #expect(code { try record.read() } == .invalidArgument)
    #expect(try bytes() == content)
    for state: [UInt8] in [[1], [2], [3]] {
      try record.write(state)
      #expect(try StateFile(folder, name).read() == state)
    }
    #expect(try bytes().count < 2 * Limits.fileLength)
  }

  @Test func aFileThatIsRemovedIsMadeAnew() throws {
    defer { remove() }
    let folder = try StateFolder(folder)
    let record = StateFile(folder, name)
    try record.write([7])
    try FileManager.default.removeItem(atPath: path)
    try record.write([8])
    #expect(try read(folder) == [8])
  }

  @Test func aStateThatIsTooLongChangesNothing() throws {
    defer { remove() }
    let folder = try StateFolder(folder)
    let record = StateFile(folder, name)
    let longest = [UInt8](repeating: 3, count: Limits.fileLength - 12 - Checksum.length)
    for state in [[1], longest] {
      try record.write(state)
      #expect(code { try record.write(longest + [3]) } == .limitExceeded)
      #expect(try read(folder) == state)
    }
    // Both places hold a state of the maximum length.
    try record.write(longest.map { $0 + 1 })
    #expect(try read(folder) == longest.map { $0 + 1 })
    #expect(try bytes().count == 2 * Limits.fileLength)
  }

  /// A file that anybody else could have put there is neither read nor written through.
  @Test(arguments: ["readable", "link", "pipe"]) func onlyAFileOfOurOwnIsTaken(_ what: String) throws {
    defer { remove() }
    let folder = try StateFolder(folder)
    try StateFile(folder, name).write([1])
    let elsewhere = "\(self.folder)/elsewhere"
    switch what {
    case "link":
      try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    case "pipe":
      try FileManager.default.removeItem(atPath: path)
      mkfifo(path, 0o600)
    default: chmod(path, 0o640)
    }
    let record = StateFile(folder, name)
    #expect(code { try record.read() } == (what == "link" ? .system : .accessDenied))
    try record.write([2])
    #expect(try read(folder) == [2])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    if what == "link" {
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
      #expect(try read(folder) == [1])
    }
  }

  private func read(_ folder: StateFolder) throws -> [UInt8]? { try StateFile(folder, name).read() }

  private func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  private func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
}
