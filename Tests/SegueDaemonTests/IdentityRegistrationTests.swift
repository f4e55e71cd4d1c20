import Glibc
import SegueCore
import Testing

@testable import SegueDaemon

@Suite struct IdentityRegistrationTests {
  static let desktop = "applications/com.example.Reader.desktop"
  static let service = "dbus-1/services/com.example.Reader.Segue.service"
  let folder: RegistryFolder

  init() throws { folder = try RegistryFolder() }

  private func check(_ verdict: CallerIdentity.Verdict, _ id: String = "com.example.Reader") throws -> RegisteredCaller
  {
    try Registry(folder.settings) { _ in }.registration(of: verdict, as: try appID(id))
  }

  private func refusal(_ verdict: CallerIdentity.Verdict, _ id: String = "com.example.Reader") -> SegueError? {
    #expect(throws: SegueError.self) { try check(verdict, id) }
  }

  private func host(_ executable: String?, _ arguments: [String] = []) -> CallerIdentity.Verdict {
    .host(
      HostProcess(
        pid: 7, executable: executable, file: executable.flatMap(HostProcess.FileID.init(path:)), arguments: arguments))
  }

  @Test func attack32_sandboxedClaimsOnlyItsOwn() throws {
    let verdict = CallerIdentity.Verdict.sandboxed(try appID(), instance: "1")
    #expect(try check(verdict) == RegisteredCaller(appID: try appID(), tier: .sandbox))
    #expect(refusal(verdict, "com.example.Other")?.code == .accessDenied)
  }

  /// A Flatpak is as sure as its installation: what it offers has to be continued by the same one, installed alike.
  @Test func aSandboxIsAsSureAsWhoInstalledIt() throws {
    let verdict = CallerIdentity.Verdict.sandboxed(try appID(), instance: "1")
    folder.write("home/.local/share/" + Self.desktop, RegistryFolder.desktop("X-Flatpak=com.example.Reader"))
    let registry = try Registry(folder.settings) { _ in }
    #expect(try registry.registration(of: verdict, as: try appID()).tier == .user)
    folder.write("flatpak/exports/share/" + Self.desktop, RegistryFolder.desktop("X-Flatpak=com.example.Reader"))
    registry.rescan()
    #expect(try registry.registration(of: verdict, as: try appID()).tier == .sandbox)
  }

  @Test func refusedStaysRefused() {
    let error = SegueError(.accessDenied, "x")
    #expect(refusal(.refused(error)) == error)
  }

  @Test func withoutADesktopFileThereIsAdvice() throws {
    let error = try #require(refusal(host("/bin/sh")))
    #expect(error.code == .notFound)
    #expect(error.advice.contains(folder.absolute("home/.local/share/" + Self.desktop)))
    folder.write("home/.local/share/" + Self.desktop, RegistryFolder.desktop(), mode: 0o666)
    #expect(refusal(host("/bin/sh"))?.message.contains("writable by its group") == true)
  }

  @Test func ofFilesThatAreNotTakenTheFirstIsNamed() throws {
    let bad = "[Desktop Entry]\nX-Segue-ActivityTypes=\\q;\n"
    // Another application's: a folder's name is part of the id.
    folder.write("home/.local/share/applications/a/com.example.Reader.desktop", bad)
    #expect(refusal(host("/bin/sh"))?.message.contains("No installed desktop file") == true)
    for place in ["system", "home/.local/share"] { folder.write("\(place)/\(Self.desktop)", bad) }
    #expect(
      refusal(host("/bin/sh"))?.advice
        == "Correct \(folder.absolute("home/.local/share/" + Self.desktop)), then start the program again.")
    let registry = try Registry(folder.settings) { _ in }
    #expect(registry.files.rejectedPaths[try appID()]?.count == 2)
    folder.remove("home")
    folder.remove("system")
    #expect(registry.settle { registry.files.problems.isEmpty })
    #expect(registry.files.rejectedPaths.isEmpty)
  }

  @Test func userTierIsTakenAtItsWord() throws {
    folder.write("home/.local/share/" + Self.desktop, RegistryFolder.desktop())
    #expect(try check(host(nil)).tier == .user)
  }

  @Test func hostProcessIsNoFlatpak() throws {
    folder.write("flatpak/exports/share/" + Self.desktop, RegistryFolder.desktop("X-Flatpak=com.example.Reader"))
    #expect(refusal(host("/usr/bin/flatpak"))?.message.contains("Flatpak") == true)
  }

  @Test func attack32_systemTierAsksForTheProgram() throws {
    folder.write("bin/reader", "#!/bin/sh\n", mode: 0o755)
    folder.write("bin/other", "#!/usr/bin/env -S sh -e\n", mode: 0o755)
    folder.write("bin/binary", "\u{7F}ELF", mode: 0o755)
    folder.link("bin/link", to: "binary")
    let (reader, other, binary) = (
      folder.absolute("bin/reader"), folder.absolute("bin/other"), folder.absolute("bin/binary")
    )
    let shell = try #require(realpath("/bin/sh", nil).map { String(cString: $0) })
    let link = folder.absolute("bin/link")
    // The service's Exec, more lines of the desktop file, executable, command line, accepted.
    let cases: [(String, String, String?, [String], Bool)] = [
      (binary, "", binary, [], true), (link + " --service", "", binary, [], true), (binary, "", other, [], false),
      (binary, "", nil, [], false), ("/nowhere/x", "", binary, [], false),
      ("sh", "", shell, ["sh"], true), ("env A=1 " + binary, "", binary, [], true),
      (reader, "", shell, ["/bin/sh", reader, "--x"], true), (reader, "", shell, ["/bin/sh", other], false),
      (reader, "", shell, ["/bin/sh", "a", "b", reader], false), (reader, "", shell, [], false),
      (reader, "", binary, ["sh", reader], false), (other, "", shell, ["sh", "-e", other], true),
      (reader, "TryExec=" + binary, binary, [], true), (reader, "Exec=" + binary + " %U", binary, [], true),
      ("/bin/sh " + reader, "", shell, ["sh", reader], true), ("/bin/sh " + reader, "", shell, ["sh", other], false),
    ]
    for (exec, lines, executable, arguments, accepted) in cases {
      folder.write("system/" + Self.desktop, RegistryFolder.desktop(lines))
      folder.write("system/" + Self.service, RegistryFolder.service(exec: exec))
      let verdict = host(executable, arguments)
      let what = "\(exec) \(lines) \(executable ?? "-") \(arguments)"
      if accepted {
        let registration = try? check(verdict)
        #expect(registration?.tier == .system, "\(what)")
      } else {
        #expect(refusal(verdict)?.message.contains("Process 7 is not com.example.Reader") == true, "\(what)")
      }
    }
  }

  @Test(arguments: [0, 1]) func firstLinesAreReadSoFar(_ more: Int) throws {
    folder.write("bin/sh", "\u{7F}ELF", mode: 0o755)
    let (shell, reader) = (folder.absolute("bin/sh"), folder.absolute("bin/reader"))
    // One path of many, as long as the line may be.
    let start = "#!/" + folder.absolute("bin")
    let slashes = String(repeating: "/", count: Limits.interpreterLine - (start + "sh").utf8.count + more)
    folder.write("bin/reader", "\(start)\(slashes)sh\n", mode: 0o755)
    folder.write("system/" + Self.desktop, RegistryFolder.desktop())
    folder.write("system/" + Self.service, RegistryFolder.service(exec: reader))
    let verdict = host(shell, [shell, reader])
    #expect(((try? check(verdict)) != nil) == (more == 0))
  }

  @Test func attack32_realProcesses() throws {
    folder.write("system/" + Self.desktop, RegistryFolder.desktop())
    folder.write("system/" + Self.service, RegistryFolder.service(exec: "/bin/cat -"))
    // Both wait for the end of a pipe that this test holds.
    let ends = try Ends()
    defer { ends.close() }
    for (program, arguments, accepted) in [("/bin/cat", ["-"], true), ("/usr/bin/tail", ["-f"], false)] {
      let process = try #require(start(program, arguments, input: ends.input))
      defer {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
      }
      let verdict = CallerIdentity().identify(pid: process, uid: getuid(), connected: .now)
      if accepted {
        #expect(try check(verdict).tier == .system)
      } else {
        #expect(refusal(verdict)?.code == .accessDenied)
      }
    }
  }
}
