import SegueCore

/// An event of a continuation stream, apart from those that applications send at the door and other devices send as
/// requests.
public enum StreamEvent: Sendable {
  /// The answer to `StreamEffect.open`: the other device's application has its pair; or the error why not.
  case answered(StreamID, SegueError?)
  /// The first byte has gone one way or the other.
  case used(StreamID)
  /// The stream ended before both sides had closed it in order.
  case failed(StreamID, SegueError)
  /// Both sides have closed the stream in order, and all bytes have arrived.
  case closed(StreamID)
}

/// The actions that the engine wants carried out on streams. After `end` no more events of the stream are reported.
public enum StreamEffect: Equatable, Sendable {
  /// Make a pair for an application here, and ask the device. Answered by `answered` or `failed`.
  case open(StreamID, StreamRequest, to: DeviceID)
  /// Make a pair for the application that has the activity, and hand it over. Answered by `DoorEvent.acceptedStream`.
  case accept(StreamID, ChannelID, activity: Identifier, SessionID)
  /// Make two connected pairs, and hand one to the application that has the activity. Answered as `accept`.
  case connect(StreamID, activity: Identifier, SessionID)
  /// Let bytes pass, both ways, and tell the device that has asked.
  case begin(StreamID)
  /// Tell the device that has asked on the channel that it gets no stream.
  case refuse(ChannelID, SegueError)
  /// End the stream at once. The other device gets the error, and so does the application that has a pair of the
  /// stream.
  case end(StreamID, SegueError, tell: SessionID?)
}
