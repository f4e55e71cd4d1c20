import CLinux
import Glibc
import SegueBus
import SegueCore

/// The folder of the sockets at which the sessions of this user are reached: `$XDG_RUNTIME_DIR/segue-shell`.
struct SessionFolder {
  let path: String

  /// Makes it where it is missing, in the folder `runtime`. Throws where it would not be this user's alone.
  init(in runtime: String? = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }) throws(SegueError) {
    guard let runtime, runtime.begins(with: "/") else {
      throw SegueError(
        .system, "There is no folder for sessions.", advice: "Set XDG_RUNTIME_DIR to a folder that is yours alone.")
    }
    path = runtime + "/segue-shell"
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.failure("The folder \(path) cannot be made") }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else {
      throw SegueError(
        .accessDenied, "Others can reach the folder \(path).", advice: "Remove it; it will be made again.")
    }
  }

  static func failure(_ what: String) -> SegueError {
    SegueError(.system, "\(what): \(String(cString: strerror(errno))).")
  }

  /// A session's name is a number, so that it can be typed.
  static func isName(_ name: String) -> Bool { Int(name).map { (1...Limits.shellSessions).contains($0) } ?? false }

  /// The names for which a socket exists, including those of sessions that were killed.
  var names: [String] {
    (1...Limits.shellSessions).map { String($0) }.filter { access(path(of: $0), F_OK) == 0 }
  }

  func path(of name: String) -> String { path + "/" + name }

  /// Listens under the first name that is free. The descriptor is non-blocking.
  func listen() throws(SegueError) -> (name: String, socket: FileDescriptor) {
    let lock = try lock()
    defer { _ = flock(lock.raw, LOCK_UN) }
    for number in 1...Limits.shellSessions {
      let name = String(number)
      if let socket = try listen(as: name) { return (name, socket) }
    }
    throw SegueError(.limitExceeded, "There are \(Limits.shellSessions) sessions already.", advice: "End one of them.")
  }

  /// Listens under the name `name`; nil where another process does already.
  func listenAlone(as name: String) throws(SegueError) -> FileDescriptor? {
    let lock = try lock()
    defer { _ = flock(lock.raw, LOCK_UN) }
    return try listen(as: name)
  }

  /// The lock for finding a free name: without it, two processes could each replace a dead session's socket, and one of
  /// them the other's.
  private func lock() throws(SegueError) -> FileDescriptor {
    let lock = FileDescriptor(owning: open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
    guard lock.raw >= 0, flock(lock.raw, LOCK_EX) == 0 else { throw Self.failure("The folder \(path) cannot be used") }
    return lock
  }

  private func listen(as name: String) throws(SegueError) -> FileDescriptor? {
    let attempt = attempt(path(of: name))
    // A session that is too busy to accept a connection is there too.
    guard attempt.descriptor == nil, [ENOENT, ECONNREFUSED].contains(attempt.error) else { return nil }
    unlink(path(of: name))
    let descriptor = try Self.socket()
    guard (try Self.withAddress(path(of: name)) { bind(descriptor.raw, $0, $1) }) == 0,
      Glibc.listen(descriptor.raw, 16) == 0
    else { throw Self.failure("The socket \(path(of: name)) cannot be made") }
    return descriptor
  }

  /// Removes the socket of a session that ends.
  func remove(_ name: String) { unlink(path(of: name)) }

  /// Connects; nil where no process listens, or where that of another user than `user`, this one, does.
  func connect(to name: String, of user: uid_t = geteuid()) -> FileDescriptor? {
    attempt(path(of: name)).descriptor.flatMap { Self.belongs($0, to: user) ? $0 : nil }
  }

  private func attempt(_ path: String) -> (descriptor: FileDescriptor?, error: Int32) {
    guard let descriptor = try? Self.socket(),
      let result = try? Self.withAddress(path, { Glibc.connect(descriptor.raw, $0, $1) })
    else { return (nil, EINVAL) }
    return result == 0 ? (descriptor, 0) : (nil, errno)
  }

  /// Accepts a connection; nil where it is of another user than `user`, this one.
  static func accept(_ listener: FileDescriptor, of user: uid_t = geteuid()) -> FileDescriptor? {
    let descriptor = FileDescriptor(owning: Glibc.accept(listener.raw, nil, nil))
    guard descriptor.raw >= 0, segue_fcntl(descriptor.raw, F_SETFD, FD_CLOEXEC) == 0, belongs(descriptor, to: user)
    else { return nil }
    return descriptor
  }

  /// Whether the other end is a process of that user.
  private static func belongs(_ socket: FileDescriptor, to user: uid_t) -> Bool {
    var other = uid_t()
    var process = pid_t()
    return segue_peer_credentials(socket.raw, &other, &process) == 0 && other == user
  }

  private static func socket() throws(SegueError) -> FileDescriptor {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = FileDescriptor(owning: Glibc.socket(AF_UNIX, kind, 0))
    guard descriptor.raw >= 0 else { throw failure("No socket can be made") }
    return descriptor
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(SegueError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      guard bytes.count < buffer.count else { return false }
      buffer.copyBytes(from: bytes)
      return true
    }
    guard fits else { throw SegueError(.system, "The path \(path) is too long for a socket.") }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
