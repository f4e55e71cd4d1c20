import SegueCore

/// The state of a pairing, as user interfaces show it.
public enum PairingState: Equatable, Sendable {
  /// This device does not pair.
  case closed
  /// Another device may pair with this one. The code, if one is to be shown.
  case open(PairingCode?)
  /// The other device is dialled.
  case reaching
  /// These digits are to be typed on the device of that name.
  case showing(digits: String, name: String)
  /// The user is to type here the digits that the device of that name shows.
  case typing(name: String)
  /// The user is to say whether the device of that name accepted the digits.
  case asking(name: String)
  /// Both devices have agreed, and are writing each other down.
  case ending
  case paired(DeviceID, name: String)
  /// `remembered`: the device that this one remembers, and which may not remember this one.
  case failed(SegueError, remembered: DeviceID?)
}

/// How the user wants to pair.
public struct PairingWish: Equatable, Sendable {
  /// The addresses of the other device; none: it dials, or is found.
  public var addresses: [LinkAddress]
  /// Show a code that is copied to the other device.
  public var showsCode: Bool
  /// The code that was copied from the other device.
  public var code: PairingCode?

  /// Whether the devices are paired by digits, which have to be guarded from being guessed.
  var usesDigits: Bool { !showsCode && code == nil }

  public init(addresses: [LinkAddress] = [], showsCode: Bool = false, code: PairingCode? = nil) {
    self.addresses = addresses
    self.showsCode = showsCode
    self.code = code
  }
}

/// The holder of a window: it shows the user how far the pairing is, and ends it by leaving.
public enum PairingHolder: Hashable, Sendable {
  /// A connection at the door.
  case session(SessionID)
  /// A unique name on the session bus.
  case bus(String)
}

/// The events of a pairing: of its connections, and of the disk.
public enum PairingEvent: Equatable, Sendable {
  case link(PairingLinkEvent)
  /// The answer to `PairingEffect.remember`. `wasPaired`: the device was paired before.
  case remembered(SegueError?, wasPaired: Bool = false)
  /// A holder of windows has left.
  case left(PairingHolder)
}

/// The actions that a pairing wants carried out.
public enum PairingEffect: Equatable, Sendable {
  /// Accept connections of devices that are being paired, with a new ephemeral key, and look for such devices; or stop
  /// both.
  case open(Bool)
  case dial([LinkAddress])
  case send(PairingConnection, [UInt8])
  /// Close the connection when all messages have been sent.
  case close(PairingConnection)
  /// Write the device down. Answered by `remembered`.
  case remember(PairingSession.PairedPeer)
  case forget(DeviceID)
}
