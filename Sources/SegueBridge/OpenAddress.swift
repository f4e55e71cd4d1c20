import Glibc
import SegueCore

/// The address in an open type's `uri`: a file by its whole path, or a page of the web. Everything else is refused, since
/// programs give meanings of their own to it: devices, pipes, lists, commands.
enum OpenAddress: Equatable {
  case file(FileURL)
  case web(WebURL)

  init?(_ text: String) {
    guard text.utf8.count <= Limits.bridgeText else { return nil }
    if let file = FileURL(text) {
      self = .file(file)
    } else if let url = WebURL(text) {
      self = .web(url)
    } else {
      return nil
    }
  }

  /// The key under which an activity's state has it.
  static var key: Value { .string("uri") }

  /// The one of an activity's state.
  init?(_ userInfo: [Value: Value]) {
    switch userInfo[Self.key] {
    case .url(let text), .string(let text): self.init(text)
    default: return nil
    }
  }

  var string: String {
    switch self {
    case .file(let file): file.string
    case .web(let url): url.string
    }
  }

  /// Whether it can be opened here: a regular file, or a page. A pipe would hold up who opens it, and a device does
  /// something.
  var isThere: Bool {
    guard case .file(let file) = self else { return true }
    return Self.kind(of: file) == S_IFREG
  }

  /// Whether it is a folder that can be shown here.
  var isFolder: Bool {
    guard case .file(let file) = self else { return false }
    return Self.kind(of: file) == S_IFDIR
  }

  /// The kind of file behind all links; nil where there is none, and for those of the kernel: they count as regular, and
  /// some never end.
  private static func kind(of file: FileURL) -> mode_t? {
    guard let real = realpath(file.path, nil) else { return nil }
    defer { free(real) }
    let path = String(cString: real)
    for kernel in ["/proc", "/sys"] where path.isSame(as: kernel) || path.begins(with: kernel + "/") { return nil }
    var status = stat()
    return stat(real, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// The name of a file that is not on this device at all; nil for everything else.
  var missingName: String? {
    guard case .file(let file) = self, access(file.path, F_OK) != 0 else { return nil }
    return lastPart
  }

  /// The last part of the path, for a title where there is none.
  var lastPart: String {
    switch self {
    case .file(let file): file.path.pathParts?.name ?? file.path
    case .web(let url): url.host
    }
  }
}
