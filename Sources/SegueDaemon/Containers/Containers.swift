import Glibc
import SegueCore
import SegueEngine
import SegueState

/// The containers of this device, kept current while the configurations that name them come, change and go.
///
/// All of it belongs to one thread. The daemon's loop watches `descriptor` for reading and calls `process()`.
public final class Containers {
  /// The containers as they are now.
  public private(set) var table = ContainerTable()
  /// Called when the table has changed.
  public var onChange: (() -> Void)?

  private let settings: ContainerSettings
  private let watch: ConfigurationWatch
  private let log: (String) -> Void
  private var logged: Set<String> = []
  /// The last good reading of each configuration, in the order of `sources`.
  private var readings: [ContainerReading]
  private let sources: [Source]

  /// One program's configuration.
  private struct Source {
    /// The first that exists counts.
    let files: [String]
    let maximum: Int
    let read: ([UInt8], ContainerSettings) throws(SegueError) -> ContainerReading
  }

  /// Reads the configurations, and begins to watch them. `log` gets one line for what cannot be taken of them.
  public init(_ settings: ContainerSettings, log: @escaping (String) -> Void) throws(SegueError) {
    self.settings = settings
    self.log = log
    // The first of several containers with one id counts, so that the user's own declaration precedes the ones that are
    // found.
    sources = [
      Source(files: [settings.declared], maximum: Limits.fileLength, read: DeclaredContainers.read),
      Source(
        files: settings.syncthing, maximum: Limits.foreignConfigurationLength, read: SyncthingContainers.read),
      Source(
        files: [settings.nextcloud], maximum: Limits.foreignConfigurationLength, read: NextcloudContainers.read),
    ]
    readings = sources.map { _ in ContainerReading() }
    watch = try ConfigurationWatch(sources.flatMap(\.files))
    reload()
  }

  /// The descriptor that is readable when `process()` has something to do.
  public var descriptor: Int32 { watch.descriptor }

  /// Reads the configurations again if something happened to them.
  public func process() {
    if watch.hasChanges() { reload() }
  }

  /// The container that a path lies in, and the path below its folder. It goes by the names of folders alone: `locate`
  /// finds also what reaches the container through a link.
  public func container(for path: String) -> (id: String, path: String)? {
    table.container(for: path).map { ($0.container.id, $0.path.string) }
  }

  private func reload() {
    watch.arm()
    var problems: [String] = []
    for (place, source) in sources.enumerated() {
      do throws(SegueError) {
        readings[place] = try read(source)
      } catch {
        // The last good reading stays.
        problems.append(error.message)
      }
      problems += readings[place].problems
    }
    let new = ContainerTable(readings.flatMap(\.containers))
    problems += new.problems
    for line in Set(problems).subtracting(logged).sorted() { log(line) }
    logged = Set(problems)
    guard new.containers != table.containers else { return }
    table = new
    onChange?()
  }

  private func read(_ source: Source) throws(SegueError) -> ContainerReading {
    for file in source.files {
      guard let bytes = try File.read(file, maximum: source.maximum) else { continue }
      do throws(SegueError) {
        var reading = try source.read(bytes, settings)
        reading.problems = reading.problems.map { "\(file): \($0)" }
        return reading
      } catch {
        throw error.about(file)
      }
    }
    return ContainerReading()
  }
}
