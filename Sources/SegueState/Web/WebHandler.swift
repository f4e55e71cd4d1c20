import Glibc
import SegueCore

/// A program that opens web pages.
public struct WebHandler: Equatable {
  /// The way in which the program is started with a page.
  public enum Start: Equatable {
    /// The call `org.freedesktop.Application.Open`, which starts the program if it does not run.
    case bus(AppID)
    /// The program's path and its arguments.
    case program(WebCommand, folder: String?)
  }

  /// The program's name, for a person.
  public let name: String
  /// The id of the program's desktop file; nil for a program that has none.
  public let id: String?
  /// The way of starting it that its desktop file names.
  public let start: Start
  /// The program's rank in a list that no user has ordered (`InitialPreference`).
  let preference: Int64
  /// The MIME types that the program opens.
  let types: [String]
  /// The program of its command line, behind an `env`; nil if the line names none that is installed.
  private let launcher: String?

  /// Nil if the file does not belong to a program that could open a page.
  init?(_ file: KeyFile, id: String, path: String, settings: RegistrySettings) {
    let group = "Desktop Entry"
    func text(_ key: String) -> String? { (try? file.string(group, key)) ?? nil }
    func isSet(_ key: String) -> Bool { ((try? file.bool(group, key)) ?? nil) == true }
    // A program that needs a terminal is not a desktop's browser.
    guard text("Type") == "Application", !isSet("Hidden"), !isSet("Terminal") else { return nil }
    let name = ((try? file.localized(group, "Name", locales: settings.locales)) ?? nil) ?? id
    self.name = DisplayText.clean(name)
    self.id = id
    preference = ((try? file.integer(group, "InitialPreference")) ?? nil) ?? 0
    types = ((try? file.list(group, "MimeType")) ?? nil) ?? []
    let words = text("Exec").flatMap { try? ExecLine.split($0) } ?? []
    launcher = ExecLine.withoutEnv(words).first.flatMap { settings.program($0) }
    if let wanted = text("TryExec"), !wanted.isEmpty, settings.program(wanted) == nil { return nil }
    if isSet("DBusActivatable"), let appID = id.rest(before: ".desktop").flatMap({ AppID($0) }) {
      start = .bus(appID)
      return
    }
    guard let program = words.first.flatMap({ settings.program($0) }) else { return nil }
    let command = WebCommand(
      program, Array(words.dropFirst()), icon: text("Icon"), name: name, path: path)
    start = .program(command, folder: text("Path"))
  }

  /// A program without a desktop file, as an item of `BROWSER` names it: words with blanks between them, in which `%s`
  /// stands for the page. Nil if the program is not installed.
  init?(named item: String, _ settings: RegistrySettings) {
    let words = item.parts(at: " ")
    guard let first = words.first, let program = settings.program(first) else { return nil }
    name = DisplayText.clean(first.pathParts?.name ?? first)
    id = nil
    (preference, types) = (0, [])
    launcher = program
    start = .program(WebCommand(program, Array(words.dropFirst())), folder: nil)
  }
}

extension WebHandler {
  /// Whether the handler starts the browser of this executable, as far as files tell: its program is that executable,
  /// lies beside it in a directory of the browser's own, or is a script that names it or this directory.
  public func starts(_ executable: String) -> Bool {
    guard let launcher, let folder = executable.pathParts?.folder else { return false }
    // All programs of snaps are links to one program.
    if let name = launcher.rest(after: Self.snaps) {
      return executable.begins(with: "/snap/\(name.parts(at: ".").first ?? name)/")
    }
    guard let program = Self.real(launcher) else { return false }
    if program.isSame(as: executable) { return true }
    let isShared = Self.shared.contains { folder.ends(with: $0) }
    if !isShared, program.pathParts?.folder.isSame(as: folder) == true { return true }
    guard let script = File.beginning(of: program, maximum: Limits.launcherLength), script.starts(with: "#!".utf8)
    else {
      return false
    }
    let name = Array((isShared ? executable : folder).utf8)
    return script.indices.contains { script[$0...].starts(with: name) }
  }

  private static let snaps = "/snap/bin/"
  /// Directories that many programs share.
  private static let shared = ["/bin", "/sbin", "/games"]

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(validatingCString: found)
  }
}

/// A command line into which a page is still to be put.
public struct WebCommand: Equatable {
  /// A word, with the place in it where the page goes.
  private struct Word: Equatable {
    var start: String
    var end: String?
  }

  private let program: String
  private var words: [Word] = []

  /// The program and its arguments, with the page byte for byte. The command line is not passed through a shell.
  public func words(opening page: [UInt8]) -> [[UInt8]] {
    [Array(program.utf8)]
      + words.map { word in Array(word.start.utf8) + (word.end.map { page + Array($0.utf8) } ?? []) }
  }

  /// Replaces the field codes of the Desktop Entry Specification, each an argument or a part of one. A command line
  /// without a place for the page gets the page as its last argument.
  fileprivate init(_ program: String, _ words: [String], icon: String?, name: String, path: String) {
    self.program = program
    for word in words {
      if word.isSame(as: "%i") {
        if let icon, !icon.isEmpty { self.words += [Word(start: "--icon"), Word(start: icon)] }
        continue
      }
      var argument = Word(start: "")
      var wasCode = false
      func add(_ text: String) {
        if argument.end == nil { argument.start += text } else { argument.end? += text }
      }
      var scalars = word.unicodeScalars[...]
      while let scalar = scalars.popFirst() {
        guard scalar == "%", let code = scalars.popFirst() else {
          add(String(scalar))
          continue
        }
        wasCode = true
        switch code {
        case "u", "U", "f", "F":
          // The page is put in once, at the first place that asks for it.
          if !hasPage, argument.end == nil { argument.end = "" }
        case "c": add(name)
        case "k": add(path)
        case "%": add("%")
        default: break  // Deprecated ones stand for nothing.
        }
      }
      if !argument.start.isEmpty || argument.end != nil || !wasCode { self.words.append(argument) }
    }
    if !hasPage { self.words.append(Word(start: "", end: "")) }
  }

  /// A command line in the form of `BROWSER`.
  fileprivate init(_ program: String, _ words: [String]) {
    self.program = program
    for word in words {
      let bytes = Array(word.utf8)
      let place = bytes.indices.dropLast().first { bytes[$0...].starts(with: "%s".utf8) }
      guard !hasPage, let place else {
        self.words.append(Word(start: word))
        continue
      }
      self.words.append(
        Word(
          start: String(decoding: bytes[..<place], as: UTF8.self),
          end: String(decoding: bytes[(place + 2)...], as: UTF8.self)))
    }
    if !hasPage { self.words.append(Word(start: "", end: "")) }
  }

  private var hasPage: Bool { words.contains { $0.end != nil } }
}

extension RegistrySettings {
  /// A program's path: the name itself if it has a slash, otherwise the result of a search in PATH. Nil if there is
  /// none.
  public func program(_ name: String) -> String? {
    let paths = name.has("/") ? [name] : programPath.map { $0 + "/" + name }
    return paths.first { path in
      var status = stat()
      return path.begins(with: "/") && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        && access(path, X_OK) == 0
    }
  }
}
