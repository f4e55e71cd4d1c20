import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueState
import SegueWeb

/// Runs segue-associations, which has the client of HTTP and the checker of signatures.
enum AssociationProcess {
  /// `input`: the path of a file that it reads.
  static func run(_ arguments: [String], input path: String? = nil) throws(SegueError) -> AssociationReport {
    let program = try Installation.current().associations
    var input: FileDescriptor?
    if let path {
      input = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
      guard let input, input.status.map({ $0.st_mode & S_IFMT == S_IFREG }) == true else {
        let name = DisplayText.clean(path, maximum: Limits.shownPath)
        throw SegueError(.notFound, "\(name) is not a file that can be read.")
      }
    }
    var ends: [Int32] = [-1, -1]
    guard segue_pipe(&ends) == 0 else { throw failure(program, errno) }
    let output = FileDescriptor(owning: ends[0])
    let other = FileDescriptor(owning: ends[1])
    var pid: pid_t = 0
    let words = ([program] + arguments).map { $0.withCString { strdup($0) } }
    let variables = ["SEGUE_ASSOCIATIONS_ROOTS", "SEGUE_ASSOCIATIONS_SERVER"].compactMap { name in
      environment(name).map { "\(name)=\($0)".withCString { strdup($0) } }
    }
    defer { for text in words + variables { free(text) } }
    let process = segue_spawn_piped(words + [nil], variables + [nil], input?.raw ?? -1, other.raw, &pid)
    close(other.take())
    guard process >= 0 else { throw failure(program, -process) }
    close(process)
    // It ends by itself after some seconds, whatever happens: so does this.
    let bytes = output.bytes(maximum: AssociationReport.maximum + 1) ?? []
    kill(-pid, SIGKILL)
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    guard let report = AssociationReport(bytes) else {
      throw SegueError(.system, "\(program) has failed.", advice: "Try again; if it keeps happening, report a bug.")
    }
    return report
  }

  private static func failure(_ program: String, _ code: Int32) -> SegueError {
    SegueError(
      .system, "\(program) cannot be run: \(String(cString: strerror(code))).",
      advice: "It is installed with Segue: make install.")
  }
}
