/// The first message on a channel between devices: a dictionary, whose `kind` says what the channel is for.
public enum ChannelRequest {
  /// Throws `protocolViolation` for anything but a dictionary with a kind.
  public static func kind(of first: [UInt8]) throws(SegueError) -> String {
    guard let kind = try LinkMessage.dictionary(first)["kind"]?.string else { throw LinkMessage.malformed }
    return kind
  }
}
