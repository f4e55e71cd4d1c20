import SegueCore
import SegueState

/// The content of a D-Bus service file: how the bus starts the owner of a name.
struct ServiceFile: Equatable {
  var exec: [String]
  var problems: [String] = []

  private static let group = "D-BUS Service"

  /// How the files' names end after the application id.
  static let suffix = AppID.segueSuffix + ".service"

  /// Throws where the bus could not start the application by the file.
  init(_ bytes: [UInt8], of id: AppID) throws(SegueError) {
    let file = try KeyFile(bytes, mode: .lenient)
    guard let name = try file.string(Self.group, "Name") else {
      throw SegueError(.invalidArgument, "[\(Self.group)] has no Name")
    }
    guard name == id.segueName.string else {
      throw SegueError(
        .invalidArgument,
        "Name is \(DisplayText.clean(name, maximum: Limits.shownName)), and should be \(id.segueName.string)")
    }
    guard let line = try file.string(Self.group, "Exec") else {
      throw SegueError(.invalidArgument, "[\(Self.group)] has no Exec")
    }
    exec = try ExecLine.split(line)
    if exec.first?.begins(with: "/") != true { problems.append("Exec in the service file is not an absolute path.") }
  }
}
