import SegueCore

/// What happens to files that are brought, besides what applications say at the door and other devices ask for.
public enum FileEvent: Sendable {
  // Where a file is brought to.
  /// So much of it is here. Told now and then; the first time when the other device has agreed.
  case progressed(FileID, done: UInt64, of: UInt64)
  /// All of it is here, and its digest is right.
  case brought(FileID, BroughtFile)
  case failed(FileID, SegueError)
  /// The link to the other device is lost, or there is none. What is here stays.
  case interrupted(FileID)
  // Where it is from.
  /// Something of it was read or sent. Told now and then.
  case sent(FileID)
  /// Its channel has ended: it has left, or nobody wants it any more.
  case ended(FileID)
  /// Nobody waits on the channel any more, of which no file was made.
  case abandoned(ChannelID)
}

/// What the engine wants done with files. After `drop`, `refuse` and `end` nothing of the file is reported any more.
public enum FileEffect: Equatable, Sendable {
  /// Ask the device for the file, from where the copy here ends; the copy is kept until `drop`.
  case bring(FileID, FileRequest, from: DeviceID)
  /// Remove what is here of it, and tell the other device that nobody wants it.
  case drop(FileID, SegueError.Code)
  /// Tell the application how far it is.
  case tell(SessionID, transfer: UInt64, done: UInt64, of: UInt64)
  /// Ask the application to open the file. Answered by `DoorEvent.openedFile`.
  case open(FileID, ChannelID, FileRequest, SessionID)
  /// Send the file that was opened to the device that has asked for it.
  case send(FileID)
  /// The device that has asked on the channel gets no file.
  case refuse(ChannelID, SegueError)
  /// Nothing more of it is sent.
  case end(FileID, SegueError.Code)
}
