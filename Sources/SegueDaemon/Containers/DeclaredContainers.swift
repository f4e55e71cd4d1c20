import SegueCore
import SegueEngine

/// Containers that the user names in segue.conf: a group `[Container <id>]` with the key `Path` for each.
enum DeclaredContainers {
  private static let prefix = "Container "

  static func read(_ bytes: [UInt8], _ settings: ContainerSettings) throws(SegueError) -> ContainerReading {
    let file = try KeyFile(bytes)
    var reading = ContainerReading()
    for group in file.groups {
      guard let id = group.rest(after: prefix) else { continue }
      do throws(SegueError) {
        guard let path = try file.string(group, "Path") else {
          reading.problems.append("The group [\(group)] has no Path.")
          continue
        }
        reading.add(id: id, path: path, settings)
      } catch {
        reading.problems.append(error.message + ".")
      }
    }
    return reading
  }
}
