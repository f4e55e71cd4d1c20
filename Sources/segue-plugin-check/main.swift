import Glibc

// Tries one plugin, as an application would use it. `segue plugin check` runs it, in a process of its own, and reads
// its report. Arguments: the shared library's absolute path, and the descriptor to report on.

guard CommandLine.arguments.count == 3, let descriptor = Int32(CommandLine.arguments[2]) else {
  let usage = Array("usage: segue-plugin-check FILE DESCRIPTOR\nUse `segue plugin check FILE`.\n".utf8)
  _ = write(2, usage, usage.count)
  exit(64)
}
// Crashes are expected here, and their core files are of no use.
var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &nothing)
// Swift's runtime may handle them, to tell of bugs in Swift, and would let a raised one pass.
for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT] { signal(number, SIG_DFL) }
// The reader of the report may stop reading.
signal(SIGPIPE, SIG_IGN)

let report = Report(descriptor)
Trial(of: CommandLine.arguments[1], report).run()
report.done()
// A plugin's destructors run now.
exit(0)
