import SegueBus
import SegueCore

/// Streams between this application and those that it continues from, or that continue from it: a part of the
/// application. Once handed out, a stream is the application's own; here are only the requests.
final class Streams: @unchecked Sendable {
  private unowned(unsafe) let application: Application

  init(_ application: Application) { self.application = application }

  // MARK: The origin's side

  /// Somebody who continues the activity has asked for streams (semantics T1, T3). Throws why there are none; what was
  /// sent is closed then.
  func accept(_ id: Identifier?, _ values: [BusValue]) throws(SegueError) {
    guard let activity = id.flatMap({ application.offering.activity($0) }), !activity.isInvalid else {
      throw SegueError(.notFound, "The activity does not live any more, so that it has no streams.")
    }
    guard activity.attributes.supportsStreams else {
      throw SegueError(.accessDenied, "The activity does not support continuation streams.")
    }
    guard let receive = activity.delegate.didReceiveStreams else {
      throw SegueError(
        .notHandled, "The activity has no delegate that receives continuation streams.",
        advice: "The application that offers the activity has to set did_receive_streams in its activity delegate.")
    }
    receive(activity, try StreamPair(values))
  }

  /// The daemon says why a stream ends, before it does.
  func ended(_ inode: UInt64, _ code: SegueError.Code, _ message: String) {
    StreamEnds.shared.ended(inode, SegueError(code, message))
  }
}
