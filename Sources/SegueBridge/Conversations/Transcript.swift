import SegueCore
import SegueWeb

/// A conversation as its program writes it down: an object of JSON in each line. Pure.
struct Transcript: Equatable {
  private(set) var bytes: [UInt8]
  /// The time at which it began, as the first line says.
  let start: String?
  /// The folder that it is about; nil where it names none.
  let folder: String?
  /// The times of the lines: what they say, and in which folder, may differ between devices.
  let times: [String]

  private static let rules = JSONReader.Rules(
    length: Limits.conversationTranscript, depth: Limits.conversationDepth, values: Limits.conversationTranscript,
    isOfJavaScript: true)
  private static let folderKey = "cwd"

  /// Throws the reason for which it is none of this conversation, as the end of a sentence.
  init(_ bytes: [UInt8], of id: ConversationID, _ program: ConversationProgram) throws(SegueError) {
    guard bytes.count <= Limits.conversationTranscript else {
      throw SegueError(.limitExceeded, "its transcript is larger than \(Limits.conversationTranscript >> 20) MiB")
    }
    var (start, folder, ids): (String?, String?, [String]) = (nil, nil, [])
    var times: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let node = try? JSONReader.read(Array(line), Self.rules), case .object = node.value else {
        throw SegueError(.invalidArgument, "its transcript is not a conversation's")
      }
      let payload = node["payload"]
      if ids.isEmpty { ids = program.idKeys.compactMap { (payload ?? node)[$0]?.text ?? node[$0]?.text } }
      start = start ?? payload?["timestamp"]?.text ?? node["timestamp"]?.text
      folder = folder ?? payload?[Self.folderKey]?.text ?? node[Self.folderKey]?.text
      times.append(node["timestamp"]?.text ?? "")
    }
    guard !ids.isEmpty, ids.allSatisfy({ $0.isSame(as: id.string) }) else {
      throw SegueError(.invalidArgument, "its transcript is of another conversation")
    }
    self.bytes = bytes
    (self.start, self.folder, self.times) = (start, folder, times)
  }

  /// The folder that a conversation is about, by the beginning of its transcript, which may end in the middle of a line; nil
  /// where that does not name one, or is of another conversation.
  static func folder(_ beginning: [UInt8], of id: ConversationID, _ program: ConversationProgram) -> String? {
    var isOfIt = false
    for line in beginning.split(separator: UInt8(ascii: "\n")) {
      guard let node = try? JSONReader.read(Array(line), Self.rules), case .object = node.value else { return nil }
      let payload = node["payload"]
      if !isOfIt {
        let ids = program.idKeys.compactMap { (payload ?? node)[$0]?.text ?? node[$0]?.text }
        guard ids.allSatisfy({ $0.isSame(as: id.string) }) else { return nil }
        isOfIt = !ids.isEmpty
      }
      if isOfIt, let folder = payload?[Self.folderKey]?.text ?? node[Self.folderKey]?.text { return folder }
    }
    return nil
  }

  /// Whether this one goes on where the other one ends, or is the same.
  func continues(_ other: Transcript) -> Bool {
    times.count >= other.times.count && times.starts(with: other.times) { $0.isSame(as: $1) }
  }

  // MARK: Folders

  /// The same with the folder of this device in place of the other device's, wherever a path begins with that, which
  /// must be a whole path of at least one name.
  func moved(to here: String) -> Transcript {
    guard let folder, !folder.isSame(as: here), FileURL(path: folder) != nil, folder != "/" else { return self }
    var moved = self
    moved.bytes = Self.replacing(Self.inJSON(folder), with: Self.inJSON(here), in: bytes)
    return moved
  }

  /// The folders that lines name besides this one and those in it, once each: the other device's, which may not be here.
  func otherFolders(than here: String) -> [String] {
    var others: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let node = try? JSONReader.read(Array(line), Self.rules),
        let folder = node["payload"]?[Self.folderKey]?.text ?? node[Self.folderKey]?.text
      else { continue }
      guard !folder.isSame(as: here), !folder.begins(with: here + "/"),
        !others.contains(where: { $0.isSame(as: folder) })
      else { continue }
      others.append(folder)
    }
    return others
  }

  /// A text as it is inside of a string of JSON.
  private static func inJSON(_ text: String) -> [UInt8] {
    text.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
      default: [byte]
      }
    }
  }

  /// Replaces a path where it is a whole one, or is followed by more of it.
  private static func replacing(_ old: [UInt8], with new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let end = index + old.count
      if bytes[index] == old[0], end <= bytes.count, bytes[index..<end].elementsEqual(old),
        index == 0 || !isOfName(bytes[index - 1]) || isEscape(bytes, endingAt: index),
        end == bytes.count || !isOfName(bytes[end]) || bytes[end] == slash
      {
        result += new
        index = end
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  /// Whether an escape of JSON such as \n, and not its letter, is in front of this place.
  private static func isEscape(_ bytes: [UInt8], endingAt index: Int) -> Bool {
    // \u has four digits.
    for length in [2, 6] where index >= length {
      let start = index - length
      let letter = bytes[start + 1]
      let isOne = length == 6 ? letter == UInt8(ascii: "u") : "bfnrt".utf8.contains(letter)
      guard isOne, bytes[start] == UInt8(ascii: "\\") else { continue }
      // A backslash that is itself escaped begins no escape: their number in a row is odd where this one does.
      if bytes[...start].reversed().prefix(while: { $0 == UInt8(ascii: "\\") }).count % 2 == 1 { return true }
    }
    return false
  }

  private static let slash = UInt8(ascii: "/")

  /// Whether a path with this byte beside it is a part of a longer one.
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: "-._/~+@".utf8.contains(byte)
    }
  }
}
