import SegueCore

/// A file's name as it may stand in the folder for downloads: one component of a path, seen as it is, and not hidden.
struct FileName: Equatable {
  let string: String

  /// `name` is another device's word. Scalars that hide text, turn its direction or control a terminal are dropped; a
  /// slash becomes a low line, and so does the dot of a hidden file.
  init(_ name: String) {
    var scalars = String.UnicodeScalarView()
    for scalar in DisplayText.clean(name, maximum: .max).unicodeScalars {
      scalars.append(scalar == "/" ? "_" : scalar)
    }
    while scalars.last == " " { scalars.removeLast() }
    while scalars.first == " " { scalars.removeFirst() }
    if scalars.first == "." { scalars.replaceSubrange(scalars.startIndex...scalars.startIndex, with: ["_"]) }
    let cleaned = String(scalars)
    string = cleaned.isEmpty ? "file" : Self.cut(cleaned, behind: "")
  }

  /// The name with a number: `name (2).ext`. The number 1 is not written.
  func numbered(_ number: Int) -> String {
    number == 1 ? string : Self.cut(string, behind: " (\(number))")
  }

  /// The name with `suffix` before its extension, cut to what a file system takes.
  private static func cut(_ name: String, behind suffix: String) -> String {
    let (stem, ending) = split(name)
    let room = Limits.fileNameLength - suffix.utf8.count - ending.utf8.count
    return DisplayText.clean(stem, maximum: room) + suffix + ending
  }

  /// The extension begins at the last dot, or at the one before it where that is what `.tar.gz` is; one that is long,
  /// or has a space, is a part of the name.
  private static func split(_ name: String) -> (stem: String, ending: String) {
    var parts = name.parts(at: ".", omittingEmpty: false)
    guard parts.count > 1, let last = parts.popLast(), (1...16).contains(last.utf8.count), !last.has(" ")
    else { return (name, "") }
    var ending = "." + last
    if parts.count > 1, let middle = parts.last, middle.isSame(as: "tar") {
      parts.removeLast()
      ending = ".tar" + ending
    }
    let stem = parts.joined(separator: ".")
    return stem.isEmpty ? (name, "") : (stem, ending)
  }
}
