// The descriptions of a plugin: its metadata, the key-file that metadata is written in, read in both modes, and a line
// of the process that tries the plugin. A NUL, which no file contains, separates two files, which are compared.

import SegueCore

func fuzzMetadata(_ bytes: [UInt8]) {
  fuzzKeyFile(bytes, .strict)
  fuzzKeyFile(bytes, .lenient)
  let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
  let found = parts.compactMap(readMetadata)
  if found.count == 2 { fuzzDifferences(found[0], found[1]) }
  fuzzReport(bytes)
}

private func readMetadata(_ bytes: [UInt8]) -> PluginMetadata? {
  let problems = PluginMetadata.problems(bytes)
  for problem in problems { checkShown(problem) }
  do throws(SegueError) {
    let metadata = try PluginMetadata(bytes)
    check(problems.isEmpty, "it is read, with problems")
    let text = try written(metadata).text
    guard text.utf8.count <= Limits.fileLength else { return metadata }
    let again = try PluginMetadata(Array(text.utf8))
    check(again == metadata, "it is another when it is read again")
    check(isSame(try written(again).text, text), "it is written otherwise when it is read again")
    check(metadata.differences(again).isEmpty, "it differs from itself")
    return metadata
  } catch {
    check(problems.first == error, "the first problem is not what is thrown: \(error.message)")
    return nil
  }
}

private func written(_ metadata: PluginMetadata) throws(SegueError) -> KeyFile {
  var file = KeyFile()
  try file.set("Plugin", "Id", to: metadata.id.string)
  try file.set("Plugin", "Name", to: metadata.name)
  try file.set("Plugin", "Version", to: metadata.version)
  try file.set("Plugin", "ABI", to: metadata.abi)
  try file.set("Plugin", "ActivityTypes", to: metadata.activityTypes.map { $0.string })
  try file.set("Plugin", "Objects", to: metadata.objects.map { $0.id })
  for object in metadata.objects {
    let group = "Object \(object.id)"
    let keys = object.properties.map { $0.key }
    try file.set(group, "Name", to: object.name)
    try file.set(group, "Properties", to: keys)
    try file.set(group, "RestoreKeys", to: object.restored.map { keys[$0] })
    for property in object.properties {
      let group = "Property \(object.id)/\(property.key)"
      try file.set(group, "Type", to: property.type.signature)
      try file.set(group, "Required", to: property.isRequired)
      try file.set(group, "Scope", to: property.isPortable ? "portable" : "this-device")
      if let text = property.defaultText { try file.set(group, "Default", to: text) }
    }
  }
  return file
}

extension PluginMetadata {
  /// The differences of a library that has the tables of `other`.
  fileprivate func differences(_ other: PluginMetadata) -> [String] {
    differences(id: other.id.string, abi: other.abi, objects: other.objects)
  }
}

/// Differences are reported if, and only if, the metadata differ in more than the way they are written.
private func fuzzDifferences(_ metadata: PluginMetadata, _ other: PluginMetadata) {
  let differences = metadata.differences(other)
  for difference in differences { checkShown(difference) }
  check(other.differences(metadata).isEmpty == differences.isEmpty, "from the other side: \(differences)")
  let isSame =
    metadata.id == other.id && metadata.abi == other.abi && metadata.objects.count == other.objects.count
    && metadata.objects.allSatisfy { object in other.objects.contains { agree(object, $0) } }
  check(isSame == differences.isEmpty, "the same: \(isSame), differences: \(differences)")
}

private func agree(_ object: PluginObjectDescription, _ other: PluginObjectDescription) -> Bool {
  object.id == other.id && object.name == other.name && object.restored == other.restored
    && object.properties.elementsEqual(other.properties) {
      $0.key == $1.key && $0.type == $1.type && $0.isRequired == $1.isRequired && $0.isPortable == $1.isPortable
        && $0.defaultValue == $1.defaultValue
    }
}

// MARK: Reports

/// A report that is understood is written as a line that is read, and shown, as the same.
private func fuzzReport(_ bytes: [UInt8]) {
  guard let report = PluginReport(line: String(decoding: bytes, as: UTF8.self)) else { return }
  guard let again = PluginReport(line: report.line) else { fatalError("a report is no longer one") }
  check(isSame(again.line, report.line), "a report is another when it is read again")
  for part in report.line.split(separator: "\t") { checkShown(String(part)) }
}

// MARK: Key-files

private func fuzzKeyFile(_ bytes: [UInt8], _ mode: KeyFile.Mode) {
  do throws(SegueError) {
    let file = try KeyFile(bytes, mode: mode)
    let text = file.text
    if text.utf8.count <= Limits.fileLength {
      let again = try KeyFile(Array(text.utf8), mode: mode)
      check(again == file && isSame(again.text, text), "the file is another when it is read again")
    }
    var copy = KeyFile()
    for group in file.groups {
      for key in file.keys(group) { fuzzEntry(file, group, key, mode, &copy) }
    }
    for unknown in file.unknown(besides: [:]) { checkShown(unknown) }
  } catch {
    checkShown(error)
  }
}

/// Reads an entry as each type. An entry of a strict file can be written, and read again as the same.
private func fuzzEntry(_ file: KeyFile, _ group: String, _ key: String, _ mode: KeyFile.Mode, _ copy: inout KeyFile) {
  do throws(SegueError) {
    if let bool = reading({ () throws(SegueError) in try file.bool(group, key) }), mode == .strict {
      try copy.set(group, key, to: bool)
      check(try copy.bool(group, key) == bool, "a bool is another")
    }
    if let integer = reading({ () throws(SegueError) in try file.integer(group, key) }), mode == .strict {
      try copy.set(group, key, to: integer)
      check(try copy.integer(group, key) == integer, "an integer is another")
    }
    if let list = reading({ () throws(SegueError) in try file.list(group, key) }), mode == .strict {
      try copy.set(group, key, to: list)
      check(try copy.list(group, key)?.elementsEqual(list, by: isSame) == true, "a list is another")
    }
    if let string = reading({ () throws(SegueError) in try file.string(group, key) }), mode == .strict {
      try copy.set(group, key, to: string)
      check(try copy.string(group, key).map { isSame($0, string) } == true, "a string is another")
    }
    _ = reading { () throws(SegueError) in try file.localized(group, key, locales: ["de_DE.UTF-8@euro"]) }
  } catch {
    fatalError("what was read cannot be written: \(error.message)")
  }
}

/// Nil if the entry is malformed.
private func reading<T>(_ read: () throws(SegueError) -> T?) -> T? {
  do throws(SegueError) {
    return try read()
  } catch {
    checkShown(error)
    return nil
  }
}
