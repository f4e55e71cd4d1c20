/// The first message on a channel between devices: a dictionary, whose `kind` says what the channel is for. It is decoded
/// once, for who routes the channel and for who takes it.
public struct ChannelRequest {
  public let kind: String
  fileprivate let fields: WireFields

  /// Throws `protocolViolation` for anything but a dictionary with a kind.
  public init(_ first: [UInt8]) throws(SegueError) {
    fields = try WireFields(reading: first)
    guard let kind = fields.kind else { throw fields.malformed }
    self.kind = kind
  }
}

/// The request with which a channel of one kind is opened.
public protocol ChannelOpening: WireMessage {}

extension ChannelOpening {
  public func encode() throws(SegueError) -> [UInt8] { try CBOR.encode(field) }

  /// Throws `protocolViolation` for what is malformed.
  public init(_ request: ChannelRequest) throws(SegueError) {
    var fields = request.fields
    try self.init(&fields, nil)
  }

  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> Self { try Self(try ChannelRequest(bytes)) }
}
