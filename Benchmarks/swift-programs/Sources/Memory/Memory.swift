import Foundation

/// The private memory of this process in KiB, after it has used what every program with a main actor has: Foundation, and
/// tasks.
@MainActor
public func privateKiB() async -> Int {
  await Task.yield()
  let file = FileHandle(forReadingAtPath: "/proc/self/smaps_rollup")
  let text = String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
  for line in text.split(separator: "\n") where line.hasPrefix("Private_Dirty:") {
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
  return 0
}
