import Glibc
import SegueCore
import Testing

@testable import segue

@Suite struct LinkHandlerTests {
  private let folder: String

  init() throws {
    let made = try #require("/tmp/sg-links-XXXXXX".withCString { strdup($0).flatMap { mkdtemp($0) } })
    folder = String(cString: made)
    free(made)
  }

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

  private func handler(desktop: String? = nil) throws -> LinkHandler {
    try LinkHandler { name in
      switch name {
      case "XDG_CONFIG_HOME": folder
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

  @Test func `a list is made where there is none`() throws {
    try handler().set(on: true)
    let chosen = "\(entry)\(own);\n"
    #expect(try read() == "[Default Applications]\n\(chosen)\n[Added Associations]\n\(chosen)")
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
    #expect(throws: SegueError.self) { try LinkHandler { _ in nil } }
  }
}
