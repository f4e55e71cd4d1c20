import Glibc
import SegueBus
import SegueCore

/// A state that changes often, in a file of the state directory. The file is written in place and no caller waits for
/// the disk: renaming a new file over the old one would make ext4 write it out at once, which costs a millisecond.
///
/// The file has two places, which take turns. If the process ends in the middle of a write, the former state is still
/// in the other place. After a write, `overwriteFormer` makes the file contain only the present state; its owner calls it
/// when nobody waits. If the machine loses its power, both may be lost. One process has the file at a time. Not
/// thread-safe.
///
/// A place holds the state's number, its length, the state, and a checksum of all three. The state with the higher
/// number is the later one; odd numbers are in the first place.
public final class StateFile {
  private static let placeLength = Limits.fileLength
  private static let numberLength = 8
  private static let headerLength = numberLength + 4

  private let folder: StateFolder
  private let name: String
  private var path: String { "\(folder.path)/\(name)" }
  /// The open file; nil if it must be made anew, because its content is not known.
  private var file: FileDescriptor?
  /// The number of the state that was written last.
  private var number: UInt64 = 0
  /// How many bytes at the start of each place may differ from 0.
  private var used = [0, 0]

  /// The state in the file `name`, which is made at the first change.
  public init(_ folder: StateFolder, _ name: String) {
    self.folder = folder
    self.name = name
  }

  /// Reads the state that was written last; nil if there is no file. Call this once, before the first write. Overwrites
  /// the remains of a killed process in the other place. Throws `invalidArgument` if the file holds no state,
  /// `accessDenied`, and `system`; the next write then makes the file anew.
  public func read() throws(SegueError) -> [UInt8]? {
    guard let file = try folder.open(name, O_RDWR) else { return nil }
    guard let bytes = file.bytes(maximum: 2 * Self.placeLength, at: 0) else { throw File.failure("read", path) }
    let places = [bytes.prefix(Self.placeLength), bytes.dropFirst(Self.placeLength)]
    let states = places.enumerated().compactMap { state($1, in: $0) }
    guard let last = states.max(by: { $0.number < $1.number }) else {
      // The file was made, and not yet written to.
      guard bytes.isEmpty else { throw SegueError(.invalidArgument, "\(path) is damaged: no checksum matches.") }
      return nil
    }
    self.file = file
    number = last.number
    used = places.map { place in place.lastIndex { $0 != 0 }.map { $0 - place.startIndex + 1 } ?? 0 }
    overwriteFormer()
    return last.content
  }

  /// Replaces the state. Throws `limitExceeded` and `system`; the former state is then unchanged.
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
  }

  /// Overwrites the state before the present one. If that fails, the next write overwrites it.
  public func overwriteFormer() {
    let place = 1 - Self.place(of: number)
    guard let file, used[place] > 0 else { return }
    if file.put([UInt8](repeating: 0, count: used[place]), at: place * Self.placeLength) { used[place] = 0 }
  }

  /// The file that the next daemon will read. If the open file has been removed, it is made anew.
  private func openedFile() throws(SegueError) -> FileDescriptor {
    if let file, let status = file.status, status.st_nlink > 0 { return file }
    self.file = nil
    let file = try folder.make(name)
    self.file = file
    used = [0, 0]
    return file
  }

  private static func place(of number: UInt64) -> Int { number & 1 == 1 ? 0 : 1 }

  /// The state in a place; nil if the place holds no complete state.
  private func state(_ bytes: ArraySlice<UInt8>, in place: Int) -> (number: UInt64, content: [UInt8])? {
    let number = bytes.prefix(Self.numberLength).reduce(0) { $0 << 8 | UInt64($1) }
    let length = bytes.prefix(Self.headerLength).dropFirst(Self.numberLength).reduce(0) { $0 << 8 | Int($1) }
    // Larger numbers are refused, so that the numbers never run out.
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
