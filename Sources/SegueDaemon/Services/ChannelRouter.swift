import SegueCore

/// What takes the channels of one kind that other devices open.
struct ChannelRoute {
  /// A channel was opened, with this first message.
  var opened: (ChannelID, DeviceID, [UInt8]) -> Void
  /// Bytes have arrived on it; what is done with them is done when this returns.
  var data: (ChannelID, [UInt8]) -> Void = { _, _ in }
  /// The other device has sent all that it will.
  var finished: (ChannelID) -> Void = { _ in }
  /// It is over: nil if both sides finished.
  var closed: (ChannelID, SegueError?) -> Void = { _, _ in }
}

/// Brings each channel that another device opens to who takes its kind. The link bounds how many there are.
struct ChannelRouter {
  private let routes: [String: ChannelRoute]
  private var channels: [ChannelID: (device: DeviceID, route: ChannelRoute)] = [:]

  init(_ routes: [String: ChannelRoute]) { self.routes = routes }

  /// Who opened the channel; nil once it is closed, and for one that was refused.
  func device(of channel: ChannelID) -> DeviceID? { channels[channel]?.device }

  /// The route that takes the channel from now on; it is still to be called. Throws why no route takes it.
  mutating func route(_ channel: ChannelID, of device: DeviceID, first: [UInt8]) throws(SegueError) -> ChannelRoute {
    let kind = try ChannelRequest.kind(of: first)
    guard let route = routes[kind] else {
      throw SegueError(
        .protocolViolation,
        "The other device opened a channel of a kind that this version does not know, \"\(DisplayText.clean(kind, maximum: Limits.keyLength))\".",
        advice: "Update Segue on this device.")
    }
    channels[channel] = (device, route)
    return route
  }

  /// The route of an open channel.
  func route(of channel: ChannelID) -> ChannelRoute? { channels[channel]?.route }

  /// The route of a channel that is over.
  mutating func close(_ channel: ChannelID) -> ChannelRoute? { channels.removeValue(forKey: channel)?.route }
}
