import Glibc

/// A descriptor that is closed at the end of its owner's life.
struct Descriptor: ~Copyable {
  let raw: Int32

  /// Owns what a call gave; nil, with errno as it was left, if the call failed.
  init?(_ result: Int32) {
    guard result >= 0 else { return nil }
    raw = result
  }

  deinit { close(raw) }

  /// What the descriptor stands for.
  var status: stat? {
    var status = stat()
    return fstat(raw, &status) == 0 ? status : nil
  }

  /// Reads into `buffer` until it is full or the file ends. Nil if the file cannot be read.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    var count = 0
    while count < buffer.count {
      let part = Glibc.read(raw, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      if part < 0, errno == EINTR { continue }
      guard part >= 0 else { return nil }
      if part == 0 { break }
      count += part
    }
    return count
  }
}

extension stat {
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
}
