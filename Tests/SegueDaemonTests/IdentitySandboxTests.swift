import Glibc
import SegueCore
import Testing

@testable import SegueDaemon

/// A real sandbox: bubblewrap, as Flatpak uses it, with a fresh root.
@Suite struct IdentitySandboxTests {
  private static let program = "/usr/bin/bwrap"
  private static let view = [
    "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
    "--symlink", "usr/lib64", "/lib64", "--unshare-pid", "--die-with-parent", "--as-pid-1",
  ]

  /// The verdict on a process in a sandbox, from its process id and with the arguments for bubblewrap that `view`
  /// lacks.
  private func identify(_ arguments: [String]) throws -> CallerIdentity.Verdict? {
    guard run(Self.program, Self.view + ["/bin/true"]) == 0 else {
      print("IdentitySandboxTests: skipped, bubblewrap is not installed or may not run here")
      return nil
    }
    let (ends, forever) = (try Ends(), try Ends())
    defer {
      ends.close()
      forever.close()
    }
    // The outer process tells the number of the inner one, and the inner one that it runs.
    let outer = try #require(
      start(
        Self.program, ["--info-fd", "3"] + Self.view + arguments + ["/bin/sh", "-c", "echo go; read line"],
        input: forever.input, output: ends.output))
    defer {
      kill(outer, SIGKILL)
      waitpid(outer, nil, 0)
    }
    var text: [UInt8] = []
    while !String(decoding: text, as: UTF8.self).contains("go\n") {
      var state = pollfd(fd: ends.input, events: Int16(POLLIN), revents: 0)
      var byte: UInt8 = 0
      guard poll(&state, 1, 60_000) == 1, read(ends.input, &byte, 1) == 1 else { break }
      text.append(byte)
    }
    let digits = String(decoding: text, as: UTF8.self).drop { !$0.isNumber }.prefix { $0.isNumber }
    return CallerIdentity().identify(
      pid: try #require(Int32(digits)), uid: getuid(), connected: .now)
  }

  @Test func attack41_sandboxedCallerIsWhoTheSandboxSays() throws {
    let folder = try RegistryFolder()
    folder.write("info", IdentityCallerTests.good)
    guard let verdict = try identify(["--ro-bind", folder.absolute("info"), "/.flatpak-info"]) else { return }
    #expect(verdict == .sandboxed(try appID(), instance: "42"))
    let registry = try Registry(folder.settings) { _ in }
    #expect(try registry.registration(of: verdict, as: try appID()).tier == .sandbox)
    #expect(throws: SegueError.self) { try registry.registration(of: verdict, as: try appID("com.example.Other")) }
  }

  @Test func attack42_linkInTheSandboxIsRefused() throws {
    guard let verdict = try identify(["--symlink", "/usr/share/x", "/.flatpak-info"]) else { return }
    guard case .refused = verdict else { return #expect(Bool(false), "\(verdict)") }
  }

  @Test func sandboxWithoutAnIDIsTheHosts() throws {
    guard let verdict = try identify([]) else { return }
    guard case .host(let process) = verdict else { return #expect(Bool(false), "\(verdict)") }
    #expect(process.arguments.dropFirst().first == "-c")
  }
}
