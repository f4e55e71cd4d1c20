import SegueCore

/// How far a pairing is, as user interfaces show it.
public enum PairingState: Equatable, Sendable {
  /// Nobody pairs.
  case closed
  /// Another device may pair. The code, if one is to be shown.
  case open(PairingCode?)
  /// The other device is dialled.
  case reaching
  /// These digits are to be typed on the device of that name.
  case showing(digits: String, name: String)
  /// The digits are to be typed here that the device of that name shows.
  case typing(name: String)
  /// The user is to say whether the device of that name took the digits.
  case asking(name: String)
  /// Both devices have agreed, and write each other down.
  case ending
  case paired(DeviceID, name: String)
  /// `remembered`: the device that this one remembers, and which may not remember this one.
  case failed(SegueError, remembered: DeviceID?)
}

/// How the user wants to pair.
public struct PairingWish: Equatable, Sendable {
  /// Where the other device is; none: it dials, or is found.
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

/// The one that shows the user how far a pairing is, and ends it by leaving.
public enum PairingHolder: Hashable, Sendable {
  /// A connection at the door.
  case session(SessionID)
  /// A unique name on the session bus.
  case bus(String)
}

/// What a pairing is told of its connections and of the disk.
public enum PairingEvent: Equatable, Sendable {
  case link(PairingLinkEvent)
  /// The answer to `PairingEffect.remember`. `wasPaired`: the device was paired before.
  case remembered(SegueError?, wasPaired: Bool = false)
  /// One of those that show pairings is gone.
  case left(PairingHolder)
}

/// What a pairing wants done.
public enum PairingEffect: Equatable, Sendable {
  /// Take connections of devices that pair, with a new throw-away key, and look for such devices; or stop both.
  case open(Bool)
  case dial([LinkAddress])
  case send(PairingConnection, [UInt8])
  /// Close it when all that was sent has left.
  case close(PairingConnection)
  /// Write the device down. Answered by `remembered`.
  case remember(PairingSession.PairedPeer)
  case forget(DeviceID)
}
