import SegueCore
import Testing

@testable import SegueFiles

/// The names of files that come: another device's words.
@Suite struct FileNameTests {
  @Test(arguments: [
    ("report.pdf", "report.pdf"), ("../../etc/passwd", "_._.._etc_passwd"), ("/etc/passwd", "_etc_passwd"),
    ("..", "_."), (".", "_"), (".bashrc", "_bashrc"), ("", "file"), ("  a  ", "a"), (" ", "file"),
    ("a\u{0}b\n\u{1B}[31mc", "ab [31mc"), ("gpj.\u{202E}exe", "gpj.exe"), ("<b>&.txt", "<b>&.txt"),
  ])
  func X12_aNameIsOneComponent(_ name: String, _ made: String) { #expect(FileName(name).string == made) }

  @Test(arguments: [
    ("a.txt", "a (2).txt"), ("a", "a (2)"), ("a.tar.gz", "a (2).tar.gz"), ("a.b.c", "a.b (2).c"),
    ("sentence. And more of it", "sentence. And more of it (2)"),
  ])
  func X12_theNextNameHasANumber(_ name: String, _ second: String) {
    #expect(FileName(name).numbered(1) == name)
    #expect(FileName(name).numbered(2) == second)
  }

  @Test func X12_aLongNameIsCutBeforeItsExtension() {
    let name = FileName(String(repeating: "ä", count: 300) + ".jpeg")
    #expect(name.string.utf8.count <= Limits.fileNameLength && name.string.ends(with: "ä.jpeg"))
    let numbered = name.numbered(Limits.fileNumber)
    #expect(numbered.utf8.count <= Limits.fileNameLength && numbered.ends(with: " (9999).jpeg"))
  }
}
