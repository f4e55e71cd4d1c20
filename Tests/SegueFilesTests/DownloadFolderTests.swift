import Foundation
import SegueCore
import Testing

@testable import SegueFiles

@Suite struct DownloadFolderTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = "/tmp/sg-\(getpid())-\(UInt32.random(in: .min ... .max))"
    try #require(mkdir(folder, 0o700) == 0)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }
  private func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test(arguments: [
    ("", "/home/u/Downloads"), ("XDG_DOWNLOAD_DIR=\"$HOME/Herunter geladen\"\n", "/home/u/Herunter geladen"),
    ("XDG_DOWNLOAD_DIR=\"/srv/in\"", "/srv/in"), ("XDG_DOWNLOAD_DIR=\"$HOME/\"", "/home/u"),
    ("#XDG_DOWNLOAD_DIR=\"/srv/in\"", "/home/u/Downloads"), ("XDG_DOWNLOAD_DIR=\"in\"", "/home/u/Downloads"),
    ("XDG_DOWNLOAD_DIR=\"$HOME/a\\\"b\"", "/home/u/a\"b"),
    ("  XDG_DOWNLOAD_DIR=\"$HOME/My  Files\"", "/home/u/My  Files"),
  ])
  func X12_theFolderIsTheUsers(_ text: String, _ path: String) {
    #expect(DownloadFolder.path(text, home: "/home/u") == path)
  }

  @Test(arguments: [true, false])
  func X12_nothingIsOverwritten(_ isCopy: Bool) throws {
    try inFolder { folder in
      let downloads = DownloadFolder(path: folder + "/in/deep")
      for number in 1...3 {
        try write("\(number)", folder + "/came")
        let path = try downloads.put(folder + "/came", as: FileName("a.txt"), isCopy: isCopy)
        #expect(path == folder + "/in/deep/" + (number == 1 ? "a.txt" : "a (\(number)).txt"))
        #expect(try read(path) == "\(number)")
        #expect(FileManager.default.fileExists(atPath: folder + "/came") == !isCopy)
      }
      #expect(try names(folder + "/in/deep") == ["a (2).txt", "a (3).txt", "a.txt"])
    }
  }

  /// The name may be that of a folder, or of a link that leads elsewhere.
  @Test func X12_otherThingsOfThatNameStay() throws {
    try inFolder { folder in
      let downloads = DownloadFolder(path: folder)
      try write("new", folder + "/came")
      try write("old", folder + "/old")
      try #require(mkdir(folder + "/a", 0o700) == 0 && symlink(folder + "/old", folder + "/a (2)") == 0)
      #expect(try downloads.put(folder + "/came", as: FileName("a"), isCopy: true) == folder + "/a (3)")
      #expect(try read(folder + "/old") == "old")
    }
  }

  @Test func X12_aLargeFileIsCopiedPieceByPiece() throws {
    try inFolder { folder in
      let bytes = Data((0...2 * Limits.fileChunk).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try bytes.write(to: URL(fileURLWithPath: folder + "/came"))
      let path = try DownloadFolder(path: folder + "/in").put(folder + "/came", as: FileName("a"), isCopy: false)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
      #expect(try names(folder + "/in") == ["a"])
    }
  }

  @Test func X12_anEmptyFileComesToo() throws {
    try inFolder { folder in
      try write("", folder + "/came")
      let path = try DownloadFolder(path: folder + "/in").put(folder + "/came", as: FileName("a"), isCopy: false)
      #expect(try read(path) == "")
    }
  }

  @Test func X12_aFolderThatCannotBeWrittenLosesNothing() throws {
    try inFolder { folder in
      try write("text", folder + "/came")
      let downloads = DownloadFolder(path: "/proc/self")
      #expect(throws: SegueError.self) { try downloads.put(folder + "/came", as: FileName("a"), isCopy: true) }
      #expect(try read(folder + "/came") == "text")
    }
  }

  @Test func X12_soManyNamesAndNoMore() throws {
    try inFolder { folder in
      for number in 1...Limits.fileNumber {
        let file = open(folder + "/" + FileName("a").numbered(number), O_WRONLY | O_CREAT, 0o600)
        try #require(file >= 0)
        close(file)
      }
      try write("text", folder + "/came")
      #expect(throws: SegueError.self) {
        try DownloadFolder(path: folder).put(folder + "/came", as: FileName("a"), isCopy: true)
      }
    }
  }
}
