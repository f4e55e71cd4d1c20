import Foundation
import Glibc
import SegueBus
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

/// A temporary folder that stands for a machine: `system` and `later` are its system data directories, `home` is the
/// user's, `exports` a Flatpak installation's. All of it is owned by whoever runs the tests.
final class RegistryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit { run("/bin/rm", ["-rf", path]) }

  var settings: RegistrySettings {
    var settings = RegistrySettings(
      directories: [
        .init(path: path + "/home/.local/share", isSystem: false),
        .init(path: path + "/system", isSystem: true),
        .init(path: path + "/later", isSystem: true),
        .init(path: path + "/flatpak/exports/share", isSystem: true),
      ], locales: ["de_DE.UTF-8"], programPath: ["/usr/bin", "/bin"])
    settings.trustedOwner = getuid()
    settings.trustBoundary = path
    return settings
  }

  func absolute(_ name: String) -> String { path + "/" + name }

  func makeFolder(_ name: String, mode: mode_t = 0o755) {
    var folder = path
    for part in name.split(separator: "/") {
      folder += "/" + part
      mkdir(folder, 0o755)
    }
    chmod(folder, mode)
  }

  func write(_ name: String, _ text: String, mode: mode_t = 0o644) {
    write(name, Array(text.utf8), mode: mode)
  }

  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) {
    if let slash = name.lastIndex(of: "/") {
      let folder = String(name[..<slash])
      if access(absolute(folder), F_OK) != 0 { makeFolder(folder) }
    }
    guard let file = FileDescriptor(open(absolute(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)) else {
      Issue.record("\(name) cannot be written: \(systemMessage())")
      return
    }
    fchmod(file.raw, mode)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
      guard count > 0 else {
        Issue.record("\(name) cannot be written: \(systemMessage())")
        return
      }
      rest = rest.dropFirst(count)
    }
  }

  func link(_ name: String, to target: String) { #expect(symlink(target, absolute(name)) == 0) }

  func move(_ name: String, to other: String) { #expect(rename(absolute(name), absolute(other)) == 0) }

  func remove(_ name: String) { run("/bin/rm", ["-rf", absolute(name)]) }

  static func desktop(_ lines: String = "") -> String {
    """
    [Desktop Entry]
    Type=Application
    Name=Reader
    Name[de]=Leser
    Icon=reader
    Exec=reader %U
    X-Segue-ActivityTypes=com.example.reading;
    \(lines)

    """
  }

  static func service(_ id: String = "com.example.Reader", exec: String = "/usr/bin/reader --service") -> String {
    "[D-BUS Service]\nName=\(id).Segue\nExec=\(exec)\n"
  }
}

/// Both ends of a stream; no child process gets them by accident.
struct Ends {
  let input: Int32
  let output: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) == 0)
    (input, output) = (ends[0], ends[1])
  }

  func close() {
    Glibc.close(input)
    Glibc.close(output)
  }
}

/// Runs a program to its end. Its exit status, or -1.
@discardableResult
func run(_ program: String, _ arguments: [String]) -> Int32 {
  guard let process = start(program, arguments) else { return -1 }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
  return status
}

/// Starts a program, its standard input and output connected to `input` and `output` if those are given.
func start(_ program: String, _ arguments: [String], input: Int32? = nil, output: Int32? = nil) -> pid_t? {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
  // Bubblewrap closes the descriptor that it writes its information to, so there is a second one.
  for number in [1, 3] as [Int32] {
    if let output { posix_spawn_file_actions_adddup2(&actions, output, number) }
  }
  var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var process: pid_t = 0
  return posix_spawn(&process, program, &actions, nil, &words, environ) == 0 ? process : nil
}

extension Registry {
  /// Waits for events and takes them in until `condition` holds. Whether it came to hold.
  func settle(_ condition: () -> Bool) -> Bool {
    while !condition() {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard isBehind || poll(&state, 1, 60_000) == 1 else { return false }
      process()
    }
    return true
  }

  var ids: [String] { index.appIDs.map(\.string) }
}

func appID(_ string: String = "com.example.Reader") throws -> AppID { try #require(AppID(string)) }

/// The paths of the files that this process has open; other tests' files too.
func openFiles() -> [String] {
  let folder = "/proc/self/fd"
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
}
