import SegueCore

/// A value that is on the disk. Its changes are written one after the other, each made on what the ones before it have
/// left, and each counts once it is on the disk: `value` is the new one only then. To be used on the loop's thread.
final class Written<Value: Sendable> {
  /// The value with the changes that the writer has told of.
  private(set) var value: Value
  private let writer: DiskWriter
  private let newest: Newest

  /// The value with all changes that were written. The writer's thread alone uses it.
  private final class Newest: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  /// `value`: as it is on the disk.
  init(_ value: Value, _ writer: DiskWriter) {
    self.value = value
    self.writer = writer
    newest = Newest(value)
  }

  /// Has the writer make a change; `done` is called in a dispatch of the loop, when it counts or has failed. `change`
  /// writes the value down, and leaves it as it was where it throws.
  func change<Answer: Sendable>(
    _ change: @escaping @Sendable (inout Value) throws(SegueError) -> Answer,
    done: @escaping (Result<Answer, SegueError>) -> Void
  ) {
    let newest = newest
    writer.run({ () throws(SegueError) in
      let answer = try change(&newest.value)
      return (answer, newest.value)
    }) { [self] (result: Result<(Answer, Value), SegueError>) in
      if case .success(let (_, value)) = result { self.value = value }
      done(result.map { $0.0 })
    }
  }
}
