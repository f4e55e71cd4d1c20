import SegueCore

/// What happens to continuation streams, besides what applications say at the door and other devices ask for.
public enum StreamEvent: Sendable {
  /// The answer to `StreamEffect.open`: the other device's application has its pair; or why there is none.
  case answered(StreamID, SegueError?)
  /// A first byte has gone one way or the other.
  case used(StreamID)
  /// The stream came to its end before both sides had closed it in order.
  case failed(StreamID, SegueError)
  /// Both sides have closed it in order, and all that was sent has arrived.
  case closed(StreamID)
}

/// What the engine wants done with streams. After `end` nothing of the stream is reported any more.
public enum StreamEffect: Equatable, Sendable {
  /// Make a pair for an application here, and ask the device. Answered by `answered` or `failed`.
  case open(StreamID, StreamRequest, to: DeviceID)
  /// Make a pair for the application that has the activity, and bring it there. Answered by `DoorEvent.acceptedStream`.
  case accept(StreamID, ChannelID, activity: Identifier, SessionID)
  /// Make two pairs that belong together, and bring one to the application that has the activity. Answered as `accept`.
  case connect(StreamID, activity: Identifier, SessionID)
  /// Bytes may go, both ways; the device that has asked is told so.
  case begin(StreamID)
  /// The device that has asked on the channel gets no stream.
  case refuse(ChannelID, SegueError)
  /// Nothing of the stream goes on. The other device is told the error, and the application that has a pair of it.
  case end(StreamID, SegueError, tell: SessionID?)
}
