import CSegueLibrary
import Foundation

extension UserActivity {
  /// Asks the application that this activity was continued from for streams; each request gives both sides a new pair. For
  /// the object that `onContinue` was given, inside it or at any time after. Throws the reason why there are none; a task that
  /// is cancelled waits no longer, and streams that come after that are closed.
  public func continuationStreams() async throws -> ContinuationStreams {
    try await Waiting<ContinuationStreams>.result { waiting in
      _ = try application.raw()
      try check(
        segue_activity_get_continuation_streams(
          pointer.raw,
          { _, input, output, error, userdata in
            object(userdata, as: Waiting<ContinuationStreams>.self)?
              .end(error) { ContinuationStreams(input: input, output: output) }
          }, retained(waiting), release))
    }
  }

  /// A file that was brought, or that both devices have.
  public struct File: Sendable, Hashable {
    /// In a folder of its own. Open, link or move the file at once: a cache removes copies, the oldest first.
    public let path: String
    /// In bytes.
    public let size: UInt64
    /// The digest of a copy; nil where the path is that of the file itself.
    public let sha256: Data?
  }

  /// Brings a file that userInfo names from the device that the activity was continued from. A cancelled task ends it.
  /// - Parameters:
  ///   - url: the file's, as userInfo has it.
  ///   - progress: how many bytes are here, and of how many; at most ten times a second.
  public func bringFile(
    _ url: URL, progress: (@MainActor (_ done: UInt64, _ size: UInt64) -> Void)? = nil
  ) async throws -> File {
    // The library says itself that it was cancelled.
    try await Waiting<File>.result(progress: progress) { waiting in
      _ = try application.raw()
      _ = try withText(url.absoluteString) { url in
        try check(
          segue_activity_bring_file(
            pointer.raw, url, progress == nil ? nil : fileProgress, fileEnd, retained(waiting), release))
      }
    } onCancel: { [self] in
      Task { @MainActor in cancelFile(url) }
    }
  }

  /// Ends what `bringFile` began; it throws `CocoaError.userCancelled`.
  public func cancelFile(_ url: URL) {
    guard (try? application.raw()) != nil else { return }
    _ = try? withText(url.absoluteString) { segue_activity_cancel_file(pointer.raw, $0) }
  }
}

private let fileProgress: @convention(c) (OpaquePointer, UInt64, UInt64, UnsafeMutableRawPointer?) -> Void = {
  guard let waiting = object($3, as: Waiting<UserActivity.File>.self) else { return }
  let (done, size) = ($1, $2)
  MainActor.assumeIsolated { waiting.progress?(done, size) }
}

private let fileEnd:
  @convention(c) (
    OpaquePointer, UnsafePointer<CChar>?, UInt64, UnsafePointer<UInt8>?, OpaquePointer?, UnsafeMutableRawPointer?
  ) -> Void = { _, path, size, digest, error, userdata in
    object(userdata, as: Waiting<UserActivity.File>.self)?.end(error) {
      UserActivity.File(path: borrowed(path), size: size, sha256: digest.map { Data(bytes: $0, count: 32) })
    }
  }
