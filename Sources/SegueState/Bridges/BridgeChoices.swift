import SegueCore

/// The programs that the user wants bridged, in bridges.conf: none, until the user says so.
public struct BridgeChoices: Equatable, Sendable {
  /// In the order of `BridgedProgram.all`.
  public var enabled: [BridgedProgram] { BridgedProgram.all.filter { names.contains($0.name) } }
  /// Names that this version does not know are kept.
  private var names: [String] = []
  /// Those whose documents other devices may have.
  private var giving: [String] = []
  private let path: String

  private static let group = "Bridges"
  private static let key = (enabled: "Enabled", giving: "Files")

  /// Throws for a file that cannot be understood.
  public init(readingFrom folder: String) throws(SegueError) {
    path = folder + "/bridges.conf"
    guard let bytes = try File.read(path, asSettings: true) else { return }
    do throws(SegueError) {
      let file = try KeyFile(bytes)
      names = try file.list(Self.group, Self.key.enabled) ?? []
      giving = try file.list(Self.group, Self.key.giving) ?? []
    } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message).", advice: "Fix the file, or remove it.")
    }
  }

  /// Whether the user wants it bridged.
  public func has(_ program: BridgedProgram) -> Bool { names.contains(program.name) }

  /// Whether the user lets other devices have the documents that it shows, if they continue them.
  public func givesFiles(_ program: BridgedProgram) -> Bool {
    program.bringsFiles && has(program) && giving.contains(program.name)
  }

  /// Writes the user's choice down. Throws `system`; nothing has changed then.
  public mutating func set(
    _ program: BridgedProgram, _ isEnabled: Bool, givesFiles: Bool = false
  ) throws(SegueError) {
    var changed = self
    changed.names.removeAll { $0 == program.name }
    changed.giving.removeAll { $0 == program.name }
    if isEnabled { changed.names.append(program.name) }
    if isEnabled, givesFiles { changed.giving.append(program.name) }
    var file = KeyFile()
    try file.set(Self.group, Self.key.enabled, to: changed.names.sorted())
    if !changed.giving.isEmpty { try file.set(Self.group, Self.key.giving, to: changed.giving.sorted()) }
    try File.makeParents(of: path)
    try File.replace(path, Array(file.text.utf8))
    self = changed
  }
}
