import Glibc
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

/// Which browser has started a process, in a tree that stands for /proc and for where programs are.
@Suite struct RunningBrowserTests {
  private let folder: RegistryFolder

  init() throws { folder = try RegistryFolder() }

  /// Whether the process, started by `executable`, runs for the browser that the desktop file `id` starts.
  private func isBrowser(
    _ id: String, exec: String, executable: String, environment: String = "", unit: String = "user.slice"
  ) throws -> Bool {
    folder.write(
      "data/applications/\(id)",
      "[Desktop Entry]\nType=Application\nName=B\nExec=\(exec)\nMimeType=x-scheme-handler/https;\n")
    folder.write("proc/7/stat", "7 (segue-browser) S 6 7 7 0")
    folder.write("proc/6/stat", "6 (a (b) c) S 1 6 6 0")
    folder.write("proc/7/environ", "HOME=/\0\(environment)\0")
    folder.write("proc/7/cgroup", "0::/user.slice/\(unit)\n")
    #expect(symlink(executable, folder.absolute("proc/6/exe")) == 0)
    let settings = RegistrySettings(
      directories: [.init(path: folder.absolute("data"), isSystem: false)], programPath: [folder.absolute("usr/bin")])
    let handler = WebHandlers(settings) { $0 == "HOME" ? folder.path : nil }.handler(ofScheme: "https")
    return RunningBrowser(behind: 7, proc: folder.absolute("proc")).isStarted(by: try #require(handler))
  }

  private func program(_ path: String, _ text: String = "\u{7F}ELF") -> String {
    folder.write(path, text)
    #expect(chmod(folder.absolute(path), 0o755) == 0)
    return folder.absolute(path)
  }

  @Test(arguments: ["userapp-Firefox-AB12.desktop", "zen.desktop"])
  func W2_aBrowserFromAnArchive(_ id: String) throws {
    let firefox = program("home/firefox/firefox")
    #expect(try isBrowser(id, exec: firefox + " %u", executable: firefox))
  }

  @Test(arguments: ["brave-browser", "google-chrome", "vivaldi-stable", "microsoft-edge", "com.brave.Browser"])
  func W2_aLauncherBesideTheBrowser(_ name: String) throws {
    _ = program("opt/b/\(name)", "#!/bin/sh\nexec \"$HERE/b\"\n")
    let browser = program("opt/b/b")
    #expect(symlink(folder.absolute("opt/b/\(name)"), program("usr/bin/x") + "-\(name)") == 0)
    #expect(try isBrowser("\(name).desktop", exec: "x-\(name) %U", executable: browser))
  }

  @Test(arguments: ["firefox-developer-edition", "firefox-nightly", "librewolf"])
  func W2_aScriptThatNamesTheBrowser(_ name: String) throws {
    let browser = program("usr/lib/\(name)/\(name)")
    _ = program("usr/bin/\(name)", "#!/bin/sh\nexec \(browser) \"$@\"\n")
    #expect(try isBrowser("\(name).desktop", exec: "\(name) %u", executable: browser))
  }

  @Test(arguments: [
    "CHROME_DESKTOP=b.desktop", "GIO_LAUNCHED_DESKTOP_FILE=/usr/share/applications/b.desktop",
    "BAMF_DESKTOP_FILE_HINT=/var/lib/snapd/desktop/applications/b.desktop",
  ]) func W2_theEnvironmentNamesTheDesktopFile(_ variable: String) throws {
    _ = program("usr/bin/b", "#!/bin/sh\n")
    let browser = program("elsewhere/b")
    #expect(try isBrowser("b.desktop", exec: "b %u", executable: browser, environment: variable))
  }

  @Test(arguments: [
    "app-gnome-brave\\x2dbrowser-4711.scope", "app-brave\\x2dbrowser@1f2e.service", "app-brave\\x2dbrowser.service",
  ]) func W2_theUnitIsNamedAfterTheBrowser(_ unit: String) throws {
    _ = program("usr/bin/b", "#!/bin/sh\n")
    #expect(
      try isBrowser(
        "brave-browser.desktop", exec: "b %u", executable: program("elsewhere/b"), unit: "app.slice/" + unit))
  }

  @Test func W2_anotherBrowserIsNone() throws {
    _ = program("usr/bin/b", "#!/bin/sh\nexec /usr/lib/b/b\n")
    // A folder of many programs says nothing.
    #expect(
      try !isBrowser(
        "b.desktop", exec: "b %u", executable: program("usr/bin/other"),
        environment: "CHROME_DESKTOP=other.desktop\0XCHROME_DESKTOP=b.desktop", unit: "app.slice/app-gnome-bb-1.scope"))
  }

  @Test func W2_aProcessThatIsGoneIsNone() throws {
    let gone = RunningBrowser(behind: 9, proc: folder.absolute("proc"))
    _ = program("usr/bin/b")
    #expect(try !isBrowser("b.desktop", exec: "b", executable: "/x"))
    #expect(gone == RunningBrowser(behind: 9, proc: folder.absolute("proc")))
  }
}
