import Glibc
import SegueCore
import Testing

@testable import segue

@Suite struct WebLinkHandlerTests {
  private let folder: String

  init() throws {
    let made = try #require("/tmp/sg-links-XXXXXX".withCString { strdup($0).flatMap { mkdtemp($0) } })
    folder = String(cString: made)
    free(made)
    #expect(mkdir(folder + "/data", 0o700) == 0 && mkdir(folder + "/data/applications", 0o700) == 0)
    try write(
      browser, "[Desktop Entry]\nType=Application\nName=B\nExec=/bin/true %u\nMimeType=x-scheme-handler/https;\n")
  }

  private let browser = "data/applications/b.desktop"

  private func write(_ name: String, _ text: String) throws {
    let file = try #require(fopen(folder + "/" + name, "w"))
    fputs(text, file)
    fclose(file)
  }

  private func read() throws -> String {
    let file = try #require(fopen(folder + "/mimeapps.list", "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
  }

  private func handler(desktop: String? = nil) throws -> WebLinkHandler {
    try WebLinkHandler { name in
      switch name {
      case "XDG_CONFIG_HOME": folder
      case "XDG_DATA_HOME": folder + "/data"
      case "XDG_DATA_DIRS", "XDG_CONFIG_DIRS": folder + "/none"
      case "XDG_CURRENT_DESKTOP": desktop
      default: nil
      }
    }
  }

  private let entry = "x-scheme-handler/https="
  private let own = "org.segue.Links.desktop"

  @Test func `all other lines stay, and off takes back what on has done`() throws {
    func list(_ programs: String, _ end: String = "") -> String {
      "# mine\n\n[Default Applications]\ntext/html = a.desktop;\n\(entry)\(programs)\n[Other]\nx=y\n" + end
    }
    try write("mimeapps.list", list("firefox.desktop;b.desktop"))
    try handler().set(on: true)
    try handler().set(on: true)
    let added = "\n[Added Associations]\n"
    #expect(try read() == list("\(own);firefox.desktop;b.desktop;", "\(added)\(entry)\(own);\n"))
    try handler().set(on: false)
    #expect(try read() == list("firefox.desktop;b.desktop;", added))
  }

  @Test(arguments: ["\r\n", "\n"]) func `lines end as they did`(_ end: String) throws {
    func list(_ programs: String, _ rest: String = "") -> String {
      let lines = "# mine\n[Default Applications]\ntext/html=a.desktop\n\(programs)x=y\n\(rest)"
      return lines.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end)
    }
    try write("mimeapps.list", list("\(entry)b.desktop\n"))
    try handler().set(on: true)
    #expect(
      try Array(read().utf8)
        == Array(list("\(entry)\(own);b.desktop;\n", "\n[Added Associations]\n\(entry)\(own);\n").utf8))
    try handler().set(on: false)
    #expect(try Array(read().utf8) == Array(list("\(entry)b.desktop;\n", "\n[Added Associations]\n").utf8))
  }

  @Test func `a list is made where there is none`() throws {
    try handler().set(on: true)
    let chosen = "\(entry)\(own);\n"
    #expect(try read() == "[Default Applications]\n\(chosen)\n[Added Associations]\n\(chosen)")
  }

  @Test func `without a browser behind it nothing changes`() throws {
    unlink(folder + "/" + browser)
    let error = #expect(throws: SegueError.self) { try handler().set(on: true) }
    #expect(error?.message.contains("No browser") == true && error?.advice.isEmpty == false)
    #expect(access(folder + "/mimeapps.list", F_OK) != 0)
    try handler().set(on: false)
  }

  @Test func `a desktop's own list that counts before it is in the way, and is named`() throws {
    try write("kde-mimeapps.list", "[Default Applications]\n\(entry)konqueror.desktop;\n")
    let error = #expect(throws: SegueError.self) { try handler(desktop: "X:KDE").set(on: true) }
    #expect(error?.message.contains("kde-mimeapps.list") == true)
    #expect(access(folder + "/mimeapps.list", F_OK) != 0)
    try handler(desktop: "GNOME").set(on: true)
  }

  @Test func `a list that is a link stays one, and keeps its mode`() throws {
    try write("kept", "[Default Applications]\n")
    chmod(folder + "/kept", 0o640)
    #expect(symlink("kept", folder + "/mimeapps.list") == 0)
    try handler().set(on: true)
    #expect(try read().contains(own))
    var status = stat()
    #expect(lstat(folder + "/mimeapps.list", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(folder + "/kept", &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test func `a line that was there twice does not come back`() throws {
    try write("mimeapps.list", "[Default Applications]\n\(entry)\(own);\n\(entry)\(own)\n[Default Applications]\nx=y")
    try handler().set(on: false)
    #expect(try read() == "[Default Applications]\n[Default Applications]\nx=y")
  }

  @Test func `a comment in another encoding stays`() throws {
    let file = try #require(fopen(folder + "/mimeapps.list", "w"))
    fputs("#", file)
    fputc(0xE9, file)
    fputs("\n[Default Applications]", file)
    fclose(file)
    try handler().set(on: true)
    #expect(try read().hasPrefix("#\u{FFFD}\n[Default Applications]\n\(entry)\(own);\n"))
  }

  @Test(arguments: ["[Default Applications]\nx=\u{FFFD}\n", "text/html=a.desktop\n"])
  func `a list that is none is left as it is`(_ text: String) throws {
    // The replacement character stands for a byte that is none of UTF-8.
    let bytes = Array(text.utf8).split(separator: [0xEF, 0xBF, 0xBD], omittingEmptySubsequences: false)
      .joined(separator: [0xFF])
    let file = try #require(fopen(folder + "/mimeapps.list", "w"))
    fwrite(Array(bytes), 1, Array(bytes).count, file)
    fclose(file)
    let error = #expect(throws: SegueError.self) { try handler().set(on: true) }
    #expect(error?.message.contains("mimeapps.list") == true)
    #expect(try read() == String(decoding: Array(bytes), as: UTF8.self))
  }

  @Test func `without a folder for settings it says so`() throws {
    #expect(throws: SegueError.self) { try WebLinkHandler { _ in nil } }
  }
}
