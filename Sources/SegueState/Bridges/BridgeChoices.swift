import SegueCore

/// The programs that the user wants bridged, in bridges.conf: none, until the user says so.
public struct BridgeChoices: Equatable, Sendable {
  /// In the order of `BridgedProgram.all`.
  public var enabled: [BridgedProgram] { BridgedProgram.all.filter { names.contains($0.name) } }
  /// Names that this version does not know are kept.
  private var names: [String] = []
  private let path: String

  private static let key = (group: "Bridges", name: "Enabled")

  /// Throws for a file that cannot be understood.
  public init(readingFrom folder: String) throws(SegueError) {
    path = folder + "/bridges.conf"
    guard let bytes = try File.read(path, asSettings: true) else { return }
    do throws(SegueError) {
      names = try KeyFile(bytes).list(Self.key.group, Self.key.name) ?? []
    } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message).", advice: "Fix the file, or remove it.")
    }
  }

  /// Whether the user wants it bridged.
  public func has(_ program: BridgedProgram) -> Bool { names.contains(program.name) }

  /// Writes the user's choice down. Throws `system`; nothing has changed then.
  public mutating func set(_ program: BridgedProgram, _ isEnabled: Bool) throws(SegueError) {
    var changed = self
    changed.names.removeAll { $0 == program.name }
    if isEnabled { changed.names.append(program.name) }
    var file = KeyFile()
    try file.set(Self.key.group, Self.key.name, to: changed.names.sorted())
    try File.makeParents(of: path)
    try File.replace(path, Array(file.text.utf8))
    self = changed
  }
}
