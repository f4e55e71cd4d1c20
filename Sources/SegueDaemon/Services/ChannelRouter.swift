import SegueCore

/// Handles the channels of one kind.
struct ChannelRoute {
  /// Another device has opened a channel, with this first message.
  var opened: (ChannelID, DeviceID, ChannelRequest) -> Void = { _, _, _ in }
  /// Bytes have arrived on it.
  var data: (ChannelID, [UInt8]) -> Void = { _, _ in }
  /// The other device has sent its last byte.
  var finished: (ChannelID) -> Void = { _ in }
  /// The other device reads no more.
  var stopped: (ChannelID) -> Void = { _ in }
  /// So many more bytes may be sent.
  var writable: (ChannelID, Int) -> Void = { _, _ in }
  /// The channel has ended. The error is nil if both sides finished.
  var closed: (ChannelID, SegueError?) -> Void = { _, _ in }
  /// The route says itself when bytes are consumed; else they are when `data` returns.
  var consumes = false
}

/// Routes each channel that another device opens, by the kind in its first message, and the channels that this device
/// has opened with a route of their own. The link bounds how many channels there are.
struct ChannelRouter {
  private let routes: [String: ChannelRoute]
  private var channels: [ChannelID: (device: DeviceID, route: ChannelRoute)] = [:]

  init(_ routes: [String: ChannelRoute]) { self.routes = routes }

  /// The device that opened the channel; nil if the channel is closed, or was refused.
  func device(of channel: ChannelID) -> DeviceID? { channels[channel]?.device }

  /// Finds the route of a new channel and notes it; the caller then calls `opened`. Throws if no route takes the
  /// channel.
  mutating func route(
    _ channel: ChannelID, of device: DeviceID, _ request: ChannelRequest
  ) throws(SegueError) -> ChannelRoute {
    guard let route = routes[request.kind] else {
      throw SegueError(
        .protocolViolation,
        "The other device opened a channel of a kind that this version does not know, \(DisplayText.quoted(request.kind)).",
        advice: "Update Segue on this device.")
    }
    channels[channel] = (device, route)
    return route
  }

  /// This device has opened a channel.
  mutating func add(_ channel: ChannelID, to device: DeviceID, _ route: ChannelRoute) {
    channels[channel] = (device, route)
  }

  /// The route of an open channel.
  func route(of channel: ChannelID) -> ChannelRoute? { channels[channel]?.route }

  /// Forgets a channel that has ended, and returns its route.
  mutating func close(_ channel: ChannelID) -> ChannelRoute? { channels.removeValue(forKey: channel)?.route }
}
