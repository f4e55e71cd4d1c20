import Glibc
import SegueCore
import SegueEngine
import Testing

@testable import SegueDaemon

/// A tree that stands for /proc, with this process's number in it.
@Suite struct IdentityCallerTests {
  static let good = "[Application]\nname=com.example.Reader\n[Instance]\ninstance-id=42\n"
  let folder: RegistryFolder
  let process = "proc/\(getpid())"

  init() throws {
    folder = try RegistryFolder()
    folder.makeFolder(process + "/root")
  }

  private func identify(
    uid: uid_t = getuid(), pid: Int32 = getpid(), connected: Instant? = nil
  ) -> CallerIdentity.Verdict {
    CallerIdentity(proc: folder.absolute("proc")).identify(pid: pid, uid: uid, connected: connected)
  }

  private func isRefused(_ verdict: CallerIdentity.Verdict, _ what: String = "") -> Bool {
    guard case .refused(let error) = verdict else { return false }
    return error.code == .accessDenied && error.message.contains(what)
  }

  @Test func sandboxed() throws {
    folder.write(process + "/root/.flatpak-info", Self.good + "[Session Bus Policy]\norg.example.*=talk\n")
    #expect(identify() == .sandboxed(try appID(), instance: "42"))
  }

  @Test(arguments: [0, 1]) func attack42_aRunsNameIsSoLong(_ more: Int) throws {
    let name = String(repeating: "4", count: Limits.instanceLength + more)
    folder.write(process + "/root/.flatpak-info", Self.good.replacing("=42", with: "=" + name))
    if more == 0 {
      #expect(identify() == .sandboxed(try appID(), instance: name))
    } else {
      #expect(isRefused(identify(), "names no instance"))
    }
  }

  @Test func W5_whoHasStartedAProcess() {
    for number in 2...30 {
      folder.write("proc/\(number)/stat", "\(number) (a ) 7 b) S \(number == 2 ? 1 : number - 1) 1 1 0")
    }
    let proc = folder.absolute("proc")
    #expect(ProcessFolder.ancestors(of: 5, proc: proc) == [4, 3, 2])
    #expect(ProcessFolder.ancestors(of: 30, proc: proc) == (14...29).reversed())
    #expect(ProcessFolder.ancestors(of: 2, proc: proc) == [])
    #expect(ProcessFolder.ancestors(of: 99, proc: proc) == [])
  }

  @Test func host() throws {
    folder.link(process + "/exe", to: "/usr/bin/env")
    folder.write(process + "/cmdline", Array("env\0-i\0\0".utf8) + [0xFF, 0])
    guard case .host(let host) = identify() else { return #expect(Bool(false)) }
    #expect(host.executable == "/usr/bin/env")
    #expect(host.file == HostProcess.FileID(path: "/usr/bin/env"))
    #expect(host.arguments == ["env", "-i", "", ""])
    folder.remove(process + "/exe")
    folder.link(process + "/exe", to: "/usr/bin/gone (deleted)")
    #expect(identify() == .host(HostProcess(pid: getpid(), executable: "/usr/bin/gone", arguments: host.arguments)))
  }

  /// A word that has no end within what is read counts as not there.
  @Test(arguments: [0, 1]) func commandLinesAreReadSoFar(_ more: Int) {
    folder.link(process + "/exe", to: "/usr/bin/env")
    let word = String(repeating: "x", count: Limits.processFileLength - "env\0\0".utf8.count + more)
    folder.write(process + "/cmdline", "env\0\(word)\0")
    guard case .host(let host) = identify() else { return #expect(Bool(false)) }
    #expect(host.arguments == (more == 0 ? ["env", word] : ["env"]))
  }

  @Test func attack42_whateverElseIsRefused() {
    let info = process + "/root/.flatpak-info"
    let bad: [(String, String, () -> Void)] = [
      ("empty", "names no application", { folder.write(info, "") }),
      ("malformed", "malformed", { folder.write(info, "[Application\nname=x") }),
      ("not UTF-8", "malformed", { folder.write(info, Array("[Application]\nname=".utf8) + [0xFF]) }),
      (
        "no id", "names no application", { folder.write(info, "[Application]\nname=../x\n[Instance]\ninstance-id=1\n") }
      ),
      ("runtime", "names no application", { folder.write(info, "[Runtime]\nname=com.example.Reader\n") }),
      ("no instance", "names no instance", { folder.write(info, "[Application]\nname=com.example.Reader\n") }),
      (
        "odd instance", "names no instance",
        {
          folder.write(info, "[Application]\nname=com.example.Reader\n[Instance]\ninstance-id=a b\n")
        }
      ),
      ("huge", "malformed", { folder.write(info, Self.good + "#" + String(repeating: "x", count: Limits.fileLength)) }),
      (
        "link", "not a regular file",
        {
          folder.write("elsewhere", Self.good)
          folder.link(info, to: folder.absolute("elsewhere"))
        }
      ),
      ("link to nowhere", "not a regular file", { folder.link(info, to: "nowhere") }),
      ("folder", "not a regular file", { folder.makeFolder(info) }),
      ("FIFO", "not a regular file", { mkfifo(folder.absolute(info), 0o644) }),
      ("no root", "root folder", { folder.remove(process + "/root") }),
      (
        "root is not a folder", "root folder",
        {
          folder.remove(process + "/root")
          folder.write(process + "/root", "")
        }
      ),
      (
        "root is a loop", "root folder",
        {
          folder.remove(process + "/root")
          folder.link(process + "/root", to: "root")
        }
      ),
    ]
    for (what, reason, make) in bad {
      folder.remove(process)
      folder.makeFolder(process + "/root")
      make()
      #expect(isRefused(identify(), reason), "\(what): \(identify())")
    }
  }

  /// The folder can be opened, and not be searched: nobody knows whether a description is in it.
  @Test func attack42_aRootThatMayNotBeSearchedIsRefused() throws {
    typealias SetUser = @convention(c) (uid_t) -> Int32
    let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
    folder.makeFolder(process + "/root")
    chmod(folder.path, 0o755)
    chmod(folder.absolute(process + "/root"), 0)
    // Root may search everything; for files this thread is another user meanwhile.
    _ = setUser(65534)
    defer { _ = setUser(geteuid()) }
    #expect(isRefused(identify(), ".flatpak-info: Permission denied"))
  }

  @Test func anotherUser() { #expect(isRefused(identify(uid: getuid() + 1), "another user")) }

  @Test func attack40_processIsGone() throws {
    folder.write(process + "/root/.flatpak-info", Self.good)
    #expect(isRefused(identify(pid: 0), "gone"))
    #expect(isRefused(identify(pid: -1), "gone"))
    let child = try #require(start("/bin/true", []))
    var info = siginfo_t()
    #expect(waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) == 0)
    folder.makeFolder("proc/\(child)/root")
    // It has ended, and its number is still its own: then that it has a root says nothing.
    #expect(isRefused(identify(pid: child), "gone"))
    #expect(waitpid(child, nil, 0) == child)
    #expect(isRefused(identify(pid: child), "gone"))
  }

  @Test(arguments: [
    ("1 (a) b) (c) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 500 1 1", true),
    ("1 (a) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 600 1 1", false), ("1 (a) S 1 2 3", false), ("", false),
    ("1 (a) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 x 1 1", false),
    ("1 (a) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 18446744073709551615 1 1", false),
  ])
  func attack40_processIsYoungerThanItsConnection(_ stat: String, _ accepted: Bool) {
    folder.write(process + "/root/.flatpak-info", Self.good)
    folder.write(process + "/stat", stat)
    // 500 ticks are 5 s at the kernel's 100 a second.
    #expect(isRefused(identify(connected: 5500), "gone") == !accepted)
  }

  @Test func thisProcess() {
    let identity = CallerIdentity()
    guard case .host(let host) = identity.identify(pid: getpid(), uid: getuid(), connected: .now) else {
      return #expect(Bool(false), "the test runs in a sandbox")
    }
    #expect(host.file != nil && host.file == host.executable.flatMap(HostProcess.FileID.init(path:)))
    #expect(isRefused(identity.identify(pid: getpid(), uid: getuid(), connected: 0), "gone"))
  }
}
