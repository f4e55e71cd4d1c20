import Glibc

/// segue-plugin-check: tries one plugin, as an application would use it. `segue plugin check` runs it, in a process of
/// its own, and reads its report.
public enum PluginCheckProgram {
  /// `arguments`: the shared library's absolute path, and the descriptor to report on. Returns the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 2, let descriptor = Int32(arguments[1]) else {
      let usage = Array("usage: segue-plugin-check FILE DESCRIPTOR\nUse `segue plugin check FILE`.\n".utf8)
      _ = write(2, usage, usage.count)
      return 64
    }
    // Crashes are expected here, and their core files are of no use.
    var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &nothing)
    // Swift's runtime may handle them, to tell of bugs in Swift, and would let a raised one pass.
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT] { signal(number, SIG_DFL) }
    // The reader of the report may stop reading.
    signal(SIGPIPE, SIG_IGN)

    let report = Report(descriptor)
    Trial(of: arguments[0], report).run()
    report.done()
    // A plugin's destructors run when the process ends.
    return 0
  }
}
