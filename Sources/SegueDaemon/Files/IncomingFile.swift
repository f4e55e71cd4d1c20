import SegueCore

/// A file as it comes on one channel: its head, then its bytes from an offset on, then their digest. Pure.
struct IncomingFile {
  /// How long it is, as its head says; before that, as the head of a former channel did.
  private(set) var size: UInt64 = 0
  /// Bytes of the file that have come, those before this channel included.
  private(set) var arrived: UInt64 = 0
  private(set) var digest: [UInt8] = []
  /// So much of the head is here; nil: all of it.
  private var head: [UInt8]? = []

  /// It goes on after so many bytes, on another channel.
  mutating func goOn(after count: UInt64) {
    arrived = count
    digest = []
    head = []
  }

  /// Its first byte comes next.
  mutating func beginAnew(size: UInt64) {
    self.size = size
    arrived = 0
  }

  /// Whether everything that belongs to it has come.
  var isComplete: Bool { head == nil && arrived == size && digest.count == FileHead.digestLength }

  /// Takes the head out of what comes. `rest`: what is no part of it. Nil where it is not all there.
  mutating func takeHead(_ bytes: [UInt8]) throws(SegueError) -> (head: FileHead?, rest: ArraySlice<UInt8>)? {
    guard let former = head else { return (nil, bytes[...]) }
    let all = former + bytes
    guard let (found, length) = try FileHead.decode(all) else {
      head = all
      return nil
    }
    head = nil
    return (found, all[length...])
  }

  /// Gives the bytes of the file among what comes behind the head. Throws where something is behind the digest.
  mutating func take(_ bytes: ArraySlice<UInt8>) throws(SegueError) -> ArraySlice<UInt8> {
    let count = Int(clamping: min(size - arrived, UInt64(bytes.count)))
    arrived += UInt64(count)
    digest += bytes.dropFirst(count)
    guard digest.count <= FileHead.digestLength else { throw Self.malformed }
    return bytes.prefix(count)
  }

  static let malformed = SegueError(.protocolViolation, "The other device does not follow the protocol of files.")
}
