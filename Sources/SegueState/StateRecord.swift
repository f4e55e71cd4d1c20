import Glibc
import SegueBus
import SegueCore

/// One state that changes often, in a file of the state folder. Nothing waits for the disk: to put a new file in the
/// place of the old one makes ext4 write it out at once, which costs a millisecond.
///
/// The file has two places, which take turns: a process that ends in the middle of a write leaves the state before it.
/// Once a state is whole, the one before it is overwritten, so that the file holds nothing that is over. A machine that
/// loses its power may leave neither. One process has it at a time. Not thread-safe.
///
/// A place holds the state's number, its length, the state and a checksum of all that. The higher number is the later;
/// odd ones are in the first place.
public final class StateRecord {
  private static let placeLength = Limits.fileLength
  private static let numberLength = 8
  private static let headerLength = numberLength + 4

  private let folder: StateFolder
  private let name: String
  private var path: String { "\(folder.path)/\(name)" }
  /// A file whose state is known; else it is made anew.
  private var file: FileDescriptor?
  /// Of the state that was written last.
  private var number: UInt64 = 0
  /// How many bytes at the start of each place may be other than 0.
  private var used = [0, 0]

  /// The record in the file `name`, which is made at the first change.
  public init(_ folder: StateFolder, _ name: String) {
    self.folder = folder
    self.name = name
  }

  /// Once, before anything is written: the state that was written last, nil if there is no such file. What a process that
  /// was killed has left beside it is overwritten. Throws `invalidArgument` where the file holds no state,
  /// `accessDenied`, `system`; the next write then begins anew.
  public func read() throws(SegueError) -> [UInt8]? {
    guard let file = try folder.open(name, O_RDWR) else { return nil }
    guard let bytes = file.bytes(maximum: 2 * Self.placeLength, at: 0) else { throw File.failure("read", path) }
    let places = [bytes.prefix(Self.placeLength), bytes.dropFirst(Self.placeLength)]
    let states = places.enumerated().compactMap { state($1, in: $0) }
    guard let last = states.max(by: { $0.number < $1.number }) else {
      // An empty one was made, and not yet written to.
      guard bytes.isEmpty else { throw SegueError(.invalidArgument, "\(path) is damaged: no checksum matches.") }
      return nil
    }
    self.file = file
    number = last.number
    used = places.map { place in place.lastIndex { $0 != 0 }.map { $0 - place.startIndex + 1 } ?? 0 }
    eraseFormer(file)
    return last.content
  }

  /// Puts a state in the place of the last one. Throws `limitExceeded`, `system`; the last one is then as it was.
  public func write(_ content: [UInt8]) throws(SegueError) {
    let next = number + 1
    let header = Self.bytes(next, count: Self.numberLength) + Self.bytes(UInt64(content.count), count: 4)
    let bytes = folder.checksum.added(to: header + content)
    guard bytes.count <= Self.placeLength else {
      throw SegueError(.limitExceeded, "\(path) would be larger than \(Self.placeLength) bytes.")
    }
    let file = try openedFile()
    let place = Self.place(of: next)
    let remains = [UInt8](repeating: 0, count: max(used[place] - bytes.count, 0))
    used[place] = max(used[place], bytes.count)
    guard file.put(bytes + remains, at: place * Self.placeLength) else { throw File.failure("write", path) }
    used[place] = bytes.count
    number = next
    eraseFormer(file)
  }

  /// Overwrites the state before the last one. Where that fails, the next state goes there.
  private func eraseFormer(_ file: FileDescriptor) {
    let place = 1 - Self.place(of: number)
    guard used[place] > 0 else { return }
    if file.put([UInt8](repeating: 0, count: used[place]), at: place * Self.placeLength) { used[place] = 0 }
  }

  /// The file that is read next time, also where somebody has removed the one that we had.
  private func openedFile() throws(SegueError) -> FileDescriptor {
    if let file, let status = file.status, status.st_nlink > 0 { return file }
    self.file = nil
    let file = try folder.make(name)
    self.file = file
    used = [0, 0]
    return file
  }

  private static func place(of number: UInt64) -> Int { number & 1 == 1 ? 0 : 1 }

  /// What is in a place; nil where that is no whole state.
  private func state(_ bytes: ArraySlice<UInt8>, in place: Int) -> (number: UInt64, content: [UInt8])? {
    let number = bytes.prefix(Self.numberLength).reduce(0) { $0 << 8 | UInt64($1) }
    let length = bytes.prefix(Self.headerLength).dropFirst(Self.numberLength).reduce(0) { $0 << 8 | Int($1) }
    // Half of all numbers are left to go on with.
    guard number <= UInt64(Int64.max), Self.place(of: number) == place,
      let whole = folder.checksum.verified(Array(bytes.prefix(Self.headerLength + length + Checksum.length))),
      whole.count == Self.headerLength + length
    else { return nil }
    return (number, Array(whole[Self.headerLength...]))
  }

  private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
