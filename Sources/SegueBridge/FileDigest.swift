import Crypto
import Glibc
import SegueCore
import SegueState

/// The digests of files, as open types have them. The last one is kept until its file changes.
struct FileDigest {
  private var last: (file: FileURL, status: stat, digest: String)?

  /// Whether the file is of the edition that an activity is about: not where both are known, and differ. A page and a
  /// place in a book of another edition are not used.
  mutating func fits(_ userInfo: [Value: Value], _ file: FileURL) -> Bool {
    guard case .string(let wanted) = userInfo[.string("digest")], let digest = digest(of: file) else { return true }
    return digest.isSame(as: wanted)
  }

  /// `sha256:` and the digest; nil where the file cannot be read, or is larger than the limit.
  mutating func digest(of file: FileURL) -> String? {
    var status = stat()
    guard stat(file.path, &status) == 0, status.st_size <= Limits.bridgeFile else { return nil }
    if let last, last.file == file, last.status.isSameVersion(as: status) { return last.digest }
    guard let bytes = try? File.read(file.path, maximum: Limits.bridgeFile) else { return nil }
    let hash = SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    last = (file, status, "sha256:" + hash)
    return last?.digest
  }
}

extension stat {
  fileprivate func isSameVersion(as other: stat) -> Bool {
    st_ino == other.st_ino && st_dev == other.st_dev && st_size == other.st_size
      && st_mtim.tv_sec == other.st_mtim.tv_sec && st_mtim.tv_nsec == other.st_mtim.tv_nsec
  }
}
