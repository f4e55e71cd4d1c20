import Glibc
import SegueCore
import SegueEngine
import Testing

@testable import SegueDaemon

@Suite struct FileSearchTests {
  private let folder: RegistryFolder
  private let container: Container

  init() throws {
    folder = try RegistryFolder()
    folder.makeFolder("c")
    container = try #require(Container(id: "c", path: folder.absolute("c")))
  }

  private func wanted(_ paths: String...) throws -> [WantedFile] {
    let files = paths.map { ContainerFile(url: "file:///\($0)", container: "c", path: $0) }
    let snapshot = Snapshot(
      id: .random(), revision: 1, type: try #require(ActivityType("org.example.page")), userInfo: [], files: files)
    return try WantedFile.files(of: snapshot, in: ContainerTable([container]))
  }

  private func missing(_ outcome: FileSearch.Outcome?) -> String? {
    if case .missing(let file) = outcome { file.path.string } else { nil }
  }

  private func there(_ outcome: FileSearch.Outcome?) -> [String]? {
    if case .allThere(let files) = outcome { files.map { $0.path.string } } else { nil }
  }

  private func failure(_ outcome: FileSearch.Outcome?) -> String? {
    if case .failed(let error) = outcome { error.message } else { nil }
  }

  @Test func R8_theFirstThatIsMissingIsNamed() throws {
    folder.write("c/a", "")
    folder.makeFolder("c/folder")
    let search = try FileSearch(wanted("a", "b/x", "folder", "d"))
    #expect(missing(search.lookAgain()) == "b/x")
    folder.write("c/b/x", "")
    #expect(missing(search.lookAgain()) == "d")
    folder.write("c/d", "")
    #expect(there(search.lookAgain()) != nil)
  }

  @Test func R8_whatArrivesIsToldOf() throws {
    let search = try FileSearch(wanted("a/b/c"))
    #expect(missing(search.lookAgain()) == "a/b/c")
    func told() -> FileSearch.Outcome? { search.settle() }
    // Folders one by one, and by one rename; a watched one goes and comes back.
    folder.makeFolder("c/a")
    #expect(missing(told()) == "a/b/c")
    folder.makeFolder("c/a/b")
    #expect(missing(told()) == "a/b/c")
    folder.remove("c/a")
    #expect(missing(told()) == "a/b/c")
    folder.makeFolder("draft/b")
    folder.move("draft", to: "c/a")
    #expect(missing(told()) == "a/b/c")
    // The one that holds the file is not the one that was watched.
    folder.move("c/a", to: "c/former")
    #expect(missing(told()) == "a/b/c")
    folder.write("other/b/c", "")
    folder.move("other", to: "c/a")
    #expect(there(told()) != nil)
  }

  /// As a Mac writes it, and as Linux does.
  @Test(arguments: [("e\u{301}", "\u{E9}"), ("\u{E9}", "e\u{301}")])
  func R8_theSameNameInOtherScalarsIsTheSameFile(_ there: String, _ here: String) throws {
    folder.write("c/f/\(here)/x\(here)", "")
    let path = "f/\(there)/x\(there)"
    #expect(
      self.there(try FileSearch(wanted(path)).lookAgain())?.map { Array($0.utf8) } == [Array("f/\(here)/x\(here)".utf8)]
    )
    // The one that is written so goes before.
    folder.write("c/f/\(there)/x\(there)", "")
    #expect(self.there(try FileSearch(wanted(path)).lookAgain())?.map { Array($0.utf8) } == [Array(path.utf8)])
    let url = try wanted("a")[0].at(try #require(ContainerPath("f/\(here)"))).localURL
    #expect(url == FileURL(path: container.path + "/f/\(here)")?.string)
  }

  @Test func R8_aFileThatArrivesInOtherScalarsIsToldOf() throws {
    folder.makeFolder("c/\u{E9}")
    let search = try FileSearch(wanted("e\u{301}/o\u{308}"))
    #expect(missing(search.lookAgain()) != nil)
    folder.write("c/\u{E9}/\u{F6}", "")
    #expect(there(search.settle())?.map { Array($0.utf8) } == [Array("\u{E9}/\u{F6}".utf8)])
  }

  @Test func R8_otherNamesAreNoReasonToLook() throws {
    let search = try FileSearch(wanted("a"))
    #expect(missing(search.lookAgain()) == "a")
    folder.write("c/b", "")
    folder.write("c/.syncthing.a.tmp", "")
    #expect(search.look() == nil)
    folder.move("c/.syncthing.a.tmp", to: "c/a")
    #expect(there(search.look()) != nil)
  }

  @Test func R8_watchesThatAreNotNeededEnd() throws {
    let search = try FileSearch(wanted("a/b"))
    for number in 0..<50 {
      folder.makeFolder("c/a")
      #expect(missing(search.lookAgain()) == "a/b")
      folder.move("c/a", to: "c/\(number)")
      #expect(missing(search.lookAgain()) == "a/b")
    }
    #expect(search.watchCount == 1)
    // Nor do their ends make it look for ever.
    while search.look() != nil {}
    #expect(search.look() == nil)
  }

  @Test func attack28_aSymbolicLinkIsNotFollowed() throws {
    folder.write("secret/file", "secret")
    folder.link("c/file", to: folder.absolute("secret/file"))
    folder.link("c/folder", to: "../secret")
    folder.link("c/proc", to: "/proc/self/cwd")
    for path in ["file", "folder/file", "folder/none", "proc/x"] {
      #expect(failure(try FileSearch(wanted(path)).lookAgain())?.contains("symbolic link") == true)
    }
    // Also one that comes while it waits, in the place of a folder that was there.
    folder.makeFolder("c/a")
    let search = try FileSearch(wanted("a/file"))
    #expect(missing(search.lookAgain()) == "a/file")
    folder.move("c/a", to: "c/former")
    folder.link("c/a", to: "../secret")
    #expect(failure(search.settle())?.contains("symbolic link") == true)
  }

  @Test func R8_whatIsNeitherFileNorFolderIsNotOpened() throws {
    #expect(mkfifo(folder.absolute("c/fifo"), 0o600) == 0)
    #expect(failure(try FileSearch(wanted("fifo")).lookAgain())?.contains("neither a file nor a folder") == true)
  }

  @Test func R8_theContainersFolderIsGone() throws {
    let search = try FileSearch(wanted("a"))
    #expect(missing(search.lookAgain()) == "a")
    folder.move("c", to: "gone")
    let message = try #require(failure(search.settle()))
    #expect(message.contains("the shared folder c is not where it should be"))
    #expect(message.hasPrefix("\"a\" cannot be opened"))
  }

  // MARK: At the origin

  private func find(_ path: String, _ others: Container...) -> String? {
    ContainerFinder(ContainerTable([container] + others)).find(folder.absolute(path)).map {
      "\($0.container.id) \($0.path.string)"
    }
  }

  @Test func R8_filesAreFoundByWhateverWay() throws {
    folder.write("c/a/file", "")
    folder.link("way", to: "c/a")
    folder.link("c/inside", to: "a")
    folder.link("c/out", to: "../outside")
    folder.link("c/nowhere", to: "nothing")
    folder.write("outside/file", "")
    #expect(mkfifo(folder.absolute("c/fifo"), 0o600) == 0)
    #expect(find("c/a/file") == "c a/file")
    #expect(find("way/file") == "c a/file")
    #expect(find("c/inside/file") == "c a/file")
    #expect(find("c/a/new/file") == "c a/new/file")
    #expect(find("way/new") == "c a/new")
    for path in ["c", "c/out/file", "c/nowhere", "c/nowhere/a", "c/fifo", "outside/file", "none"] {
      #expect(find(path) == nil)
    }
  }

  @Test func R8_theInnermostContainerByWhateverWay() throws {
    folder.write("disk/inner/file", "")
    folder.link("c/inner", to: "../disk/inner")
    let linked = try #require(Container(id: "linked", path: folder.absolute("c/inner")))
    let missing = try #require(Container(id: "missing", path: folder.absolute("c/none")))
    #expect(find("disk/inner/file", linked, missing) == "linked file")
    #expect(find("c/inner/file", linked, missing) == "linked file")
    #expect(find("c/none/file", linked, missing) == "c none/file")
  }
}

extension FileSearch {
  /// Waits for an event that concerns a file; what is found then.
  func settle() -> Outcome? {
    while true {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&state, 1, 60_000) == 1 else { return nil }
      if let outcome = look() { return outcome }
    }
  }
}
