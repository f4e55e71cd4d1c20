import Glibc

/// segue-associations: fetches the association file of one domain, opens one that is given, or signs one. The daemon and
/// `segue domain` start it, and read its standard output.
///
///     segue-associations fetch HOST
///     segue-associations open [HOST]                    the file is its standard input
///     segue-associations sign KEY CERTIFICATE [CHAIN]   the same
///
/// For tests: SEGUE_ASSOCIATIONS_ROOTS is a file of roots in place of the system's, SEGUE_ASSOCIATIONS_SERVER the
/// host:port to connect to in place of every other one.
public enum AssociationsProgram {
  /// Returns the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    guard let work = Work(arguments) else {
      let usage = Array("usage: segue-associations fetch HOST\nUse `segue domain check HOST`.\n".utf8)
      _ = write(2, usage, usage.count)
      return 64
    }
    var rest = work.report().bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return 1 }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}
