import Glibc
import SegueCore

/// A program that opens web pages, as its desktop file says.
struct WebHandler: Equatable {
  /// How it is told what to open.
  enum Start: Equatable {
    /// `org.freedesktop.Application.Open`, which starts it where it does not run.
    case bus(AppID)
    /// The program's path and its arguments.
    case program([String], folder: String?)
  }

  let name: String
  /// Its desktop file's.
  let id: String
  let start: Start

  /// Nil where the file is none of a program that could open `page`.
  init?(_ file: KeyFile, id: String, path: String, page: WebURL, settings: RegistrySettings) {
    let group = "Desktop Entry"
    func text(_ key: String) -> String? { (try? file.string(group, key)) ?? nil }
    func isSet(_ key: String) -> Bool { ((try? file.bool(group, key)) ?? nil) == true }
    // What needs a terminal is no desktop's browser.
    guard text("Type") == "Application", !isSet("Hidden"), !isSet("Terminal") else { return nil }
    let name = ((try? file.localized(group, "Name", locales: settings.locales)) ?? nil) ?? id
    self.name = DisplayText.clean(name)
    self.id = id
    if let wanted = text("TryExec"), !wanted.isEmpty, Self.program(wanted, settings) == nil { return nil }
    if isSet("DBusActivatable"), let appID = AppID(String(id.dropLast(".desktop".count))) {
      start = .bus(appID)
      return
    }
    guard let line = text("Exec"), let words = try? CommandLine.split(line), let first = words.first,
      let program = Self.program(first, settings)
    else { return nil }
    let arguments = Self.arguments(Array(words.dropFirst()), page, icon: text("Icon"), name: name, path: path)
    start = .program([program] + arguments, folder: text("Path"))
  }

  /// The field codes of the Desktop Entry Specification, each an argument or a part of one: no shell sees any of it.
  /// A program that says nowhere where the page goes gets it last.
  private static func arguments(
    _ words: [String], _ page: WebURL, icon: String?, name: String, path: String
  ) -> [String] {
    var arguments: [String] = []
    var hasPage = false
    for word in words {
      if word == "%i" {
        if let icon, !icon.isEmpty { arguments += ["--icon", icon] }
        continue
      }
      var argument = ""
      var wasCode = false
      var scalars = word.unicodeScalars[...]
      while let scalar = scalars.popFirst() {
        guard scalar == "%", let code = scalars.popFirst() else {
          argument.unicodeScalars.append(scalar)
          continue
        }
        wasCode = true
        switch code {
        case "u", "U", "f", "F":
          // One page, wherever the line asks for it first.
          if !hasPage { argument += page.string }
          hasPage = true
        case "c": argument += name
        case "k": argument += path
        case "%": argument += "%"
        default: break  // Deprecated ones stand for nothing.
        }
      }
      if !argument.isEmpty || !wasCode { arguments.append(argument) }
    }
    return hasPage ? arguments : arguments + [page.string]
  }

  /// A program's path: as it is, or by PATH.
  private static func program(_ name: String, _ settings: RegistrySettings) -> String? {
    let paths = name.contains("/") ? [name] : settings.programPath.map { $0 + "/" + name }
    return paths.first { path in
      var status = stat()
      return path.hasPrefix("/") && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        && access(path, X_OK) == 0
    }
  }
}
