import SegueCore
import SegueEngine
import SegueState

/// Reads the declarations on a thread of its own while the daemon does the rest of its start, which needs none of them.
final class RegistryReading: @unchecked Sendable {
  private let done = Happening()
  /// Set before `done` happens, and used after.
  private var result: Result<Registry, SegueError>?
  private var lines: [String] = []
  private var log: ((String) -> Void)?

  /// Begins. `cache`: what a former start has left.
  init(_ settings: RegistrySettings, cache: DeclarationCacheFile) {
    WorkQueue("segue-registry", linger: 0, prepare: Confinement.enter).add { [self] in
      result = Result { () throws(SegueError) in
        let now = fileTime()
        let early = EarlyCache(cache, at: now)
        return try Registry(settings, coming: { early.value() }, at: now) { self.say($0) }
      }
      done.happen()
    }
  }

  private func say(_ line: String) {
    if let log { log(line) } else { lines.append(line) }
  }

  /// Waits for the registry, which belongs to the caller's thread from then on. To be called once.
  func registry(log: @escaping (String) -> Void) throws(SegueError) -> Registry {
    _ = done.wait()
    self.log = log
    lines.forEach(log)
    lines = []
    defer { result = nil }
    guard let result else { throw SegueError(.system, "The declarations were not read.") }
    return try result.get()
  }
}

/// The cache, read by a thread of its own while the folders are listed.
private final class EarlyCache: @unchecked Sendable {
  private let done = Happening()
  /// Set before `done` happens, and used after.
  private var cache: DeclarationCache?

  init(_ file: DeclarationCacheFile, at now: Int64) {
    WorkQueue("segue-cache", linger: 0, prepare: Confinement.enter).add { [self] in
      cache = file.read(at: now)
      done.happen()
    }
  }

  /// Waits for it.
  func value() -> DeclarationCache? {
    _ = done.wait()
    defer { cache = nil }
    return cache
  }
}
