import SegueCore

/// An event of a file transfer, apart from those that applications send at the door and other devices send as requests.
public enum FileEvent: Sendable {
  // Events where the file is brought to.
  /// This many bytes of the file have arrived. Reported now and then; the first time when the other device has agreed.
  case progressed(FileID, done: UInt64, of: UInt64)
  /// The whole file has arrived, and its digest is right.
  case brought(FileID, BroughtFile)
  case failed(FileID, SegueError)
  /// The link to the other device is lost, or there is none. The part that has arrived is kept.
  case interrupted(FileID)
  // Events where the file comes from.
  /// Bytes of the file were read or sent; the other device has this many. Reported now and then.
  case sent(FileID, done: UInt64, of: UInt64)
  /// The file's channel has ended: the file has been sent, or it is no longer wanted.
  case ended(FileID)
  /// The device no longer waits on the channel, and no transfer had been started for it.
  case abandoned(ChannelID)
}

/// The actions that the engine wants carried out on files. After `drop`, `refuse` and `end` no more events of the file
/// are reported.
public enum FileEffect: Equatable, Sendable {
  /// Ask the device for the rest of the file, from where the copy here ends; the copy is kept until `drop`.
  case bring(FileID, FileRequest, from: DeviceID)
  /// Remove the part that has arrived, and tell the other device that the file is no longer wanted.
  case drop(FileID, SegueError.Code)
  /// Report the progress to the application.
  case tell(SessionID, transfer: UInt64, done: UInt64, of: UInt64)
  /// Ask the application to open the file. Answered by `DoorEvent.openedFile`.
  case open(FileID, ChannelID, FileRequest, SessionID)
  /// Send the opened file to the device that has asked for it.
  case send(FileID)
  /// Tell the device that has asked on the channel that it gets no file.
  case refuse(ChannelID, SegueError)
  /// Stop sending the file.
  case end(FileID, SegueError.Code)
}
