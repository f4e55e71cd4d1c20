/// Reads the key-file beside a plugin (docs/plugin-metadata.md), and goes on after a problem, so that all are found.
struct PluginMetadataReader {
  private(set) var problems: [SegueError] = []
  private let file: KeyFile
  /// The groups and keys that were asked for, which are the only ones that a file may have.
  private var known: [String: [String]] = [:]

  init(_ file: KeyFile) { self.file = file }

  /// Nil if there are problems.
  mutating func read() -> PluginMetadata? {
    let group = "Plugin"
    guard has(group) else {
      problems.append(SegueError(.invalidArgument, "[\(group)] is missing", advice: Self.advice))
      return nil
    }
    let id = required(group, "Id").flatMap { text in checked(PluginID(text), group, "Id", text, Self.idAdvice) }
    let name = shownName(group, "Name")
    let version = shownName(group, "Version")
    let abi = required(group, "ABI").flatMap { text in
      checked(DecimalText.integer(text).flatMap { Self.abis.contains($0) ? $0 : nil }, group, "ABI", text)
    }
    var activityTypes: [ActivityType] = []
    for item in list(group, "ActivityTypes", maximum: Limits.typesPerApplication) ?? [] {
      if let type = checked(ActivityType(item), group, "ActivityTypes", item) { activityTypes.append(type) }
    }
    var objects: [PluginObjectDescription] = []
    for item in list(group, "Objects", maximum: Limits.pluginObjects) ?? missing(group, "Objects") {
      guard
        let id = checked(
          PluginObjectDescription.isID(item) ? item : nil, group, "Objects", item, PluginObjectDescription.idAdvice)
      else { continue }
      if let object = object(id) { objects.append(object) }
    }
    for unknown in file.unknown(besides: known) {
      problems.append(SegueError(.invalidArgument, "\(unknown) is not known", advice: Self.advice))
    }
    guard problems.isEmpty, let id, let name, let version, let abi else { return nil }
    return PluginMetadata(
      id: id, name: name, version: version, abi: abi, activityTypes: activityTypes, objects: objects)
  }

  private mutating func object(_ id: String) -> PluginObjectDescription? {
    let group = "Object \(id)"
    guard has(group) else {
      problem("Plugin", "Objects", "\(id) has no group [\(group)]")
      return nil
    }
    let name = shownName(group, "Name")
    let keys = list(group, "Properties", maximum: Limits.pluginProperties) ?? []
    var properties: [PluginProperty] = []
    for key in keys {
      guard
        let key = checked(
          PluginProperty.isKey(key) ? key : nil, group, "Properties", key, PluginProperty.keyAdvice)
      else { continue }
      if let property = property(key, of: id) { properties.append(property) }
    }
    let restoreKeys = list(group, "RestoreKeys", maximum: Limits.pluginParameters) ?? []
    // A property's problem was reported already, so what restores it is not reported as well.
    guard let name, properties.count == keys.count else { return nil }
    var signature = ""
    for key in restoreKeys {
      guard let property = properties.first(where: { $0.key == key }) else {
        problem(group, "RestoreKeys", "\(DisplayText.clean(key, maximum: Limits.shownName)) is none of the properties")
        return nil
      }
      signature += property.type.signature
    }
    return at(group, "RestoreKeys") { () throws(SegueError) in
      try PluginObjectDescription(
        id: id, name: name, properties: properties, restoreKeys: restoreKeys, restoreSignature: signature)
    }
  }

  private mutating func property(_ key: String, of object: String) -> PluginProperty? {
    let group = "Property \(object)/\(key)"
    guard has(group) else {
      problem("Object \(object)", "Properties", "\(key) has no group [\(group)]")
      return nil
    }
    let type = required(group, "Type").flatMap { text in
      at(group, "Type") { () throws(SegueError) in try PluginType(signature: text) }
    }
    known[group, default: []].append("Required")
    let isRequired = attempt { file throws(SegueError) in try file.bool(group, "Required") ?? false }
    let isPortable = required(group, "Scope").flatMap { text in
      checked(
        text == "portable" ? true : text == "this-device" ? false : nil, group, "Scope", text,
        "It is portable, which means the same on every device, or this-device.")
    }
    let defaultText = string(group, "Default")
    guard let type, let isRequired, let isPortable else { return nil }
    return at(group, defaultText == nil ? "Required" : "Default") { () throws(SegueError) in
      try PluginProperty(
        key: key, type: type, isRequired: isRequired, isPortable: isPortable, defaultText: defaultText)
    }
  }
}

// MARK: Keys
extension PluginMetadataReader {
  private static let advice = "docs/plugin-metadata.md lists the groups and keys."
  private static let idAdvice = "An id is a reversed domain name, such as org.example.place."
  /// The range of the field in the plugin's C struct.
  private static let abis: ClosedRange<Int64> = 1...0xFFFF_FFFF

  private mutating func has(_ group: String) -> Bool {
    known[group] = []
    return file.has(group)
  }

  private mutating func string(_ group: String, _ key: String) -> String? {
    known[group, default: []].append(key)
    return attempt { file throws(SegueError) in try file.string(group, key) } ?? nil
  }

  /// Nil, with a problem, where it is missing.
  private mutating func required(_ group: String, _ key: String) -> String? {
    if file.line(group, key) == nil { _ = missing(group, key) }
    return string(group, key)
  }

  private mutating func missing(_ group: String, _ key: String) -> [String] {
    if file.line(group, key) == nil {
      problems.append(SegueError(.invalidArgument, "[\(group)] \(key) is missing", advice: Self.advice))
    }
    return []
  }

  /// A name that is shown to a person, in one line.
  private mutating func shownName(_ group: String, _ key: String) -> String? {
    required(group, key).flatMap { text in
      checked(
        DisplayText.isClean(text) ? text : nil, group, key, text,
        "It has 1 to \(Limits.titleMaximum) bytes, and no controls.")
    }
  }

  /// A list of different strings; nil if it is missing, or malformed.
  private mutating func list(_ group: String, _ key: String, maximum: Int) -> [String]? {
    known[group, default: []].append(key)
    guard let list = attempt({ file throws(SegueError) in try file.list(group, key) }) ?? nil else { return nil }
    guard list.count <= maximum else {
      problem(group, key, "There are \(list.count), and at most \(maximum) are allowed", code: .limitExceeded)
      return []
    }
    for (index, item) in list.enumerated() where list[..<index].contains(item) {
      problem(group, key, "\(DisplayText.clean(item, maximum: Limits.shownName)) is there twice")
      return []
    }
    return list
  }

  /// A value that a text stands for; nil is a problem.
  private mutating func checked<T>(
    _ value: T?, _ group: String, _ key: String, _ text: String, _ advice: String = ""
  ) -> T? {
    if value == nil {
      problem(group, key, "\"\(DisplayText.clean(text, maximum: Limits.shownName))\" cannot be it", advice: advice)
    }
    return value
  }
}

// MARK: Problems
extension PluginMetadataReader {
  private mutating func problem(
    _ group: String, _ key: String, _ what: String, advice: String = "", code: SegueError.Code = .invalidArgument
  ) {
    let line = file.line(group, key).map { "Line \($0): " } ?? ""
    problems.append(SegueError(code, "\(line)[\(group)] \(key): \(what)", advice: advice))
  }

  /// The result of `body`; nil, with a problem of this key, if `body` throws.
  private mutating func at<T>(_ group: String, _ key: String, _ body: () throws(SegueError) -> T) -> T? {
    do {
      return try body()
    } catch {
      problem(group, key, error.message, advice: error.advice, code: error.code)
      return nil
    }
  }

  /// The result of `body` for the file; nil if `body` throws, with the problem unchanged, since it names the line.
  private mutating func attempt<T>(_ body: (KeyFile) throws(SegueError) -> T) -> T? {
    do {
      return try body(file)
    } catch {
      problems.append(error)
      return nil
    }
  }
}
