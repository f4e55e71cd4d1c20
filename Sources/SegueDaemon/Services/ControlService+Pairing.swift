import SegueBus
import SegueControl
import SegueCore
import SegueEngine

// Pairing, as user interfaces ask for it.

extension Event.PairingCall {
  /// The call that a method of the control interface makes; nil for another method. `holder`: the caller. Throws
  /// `invalidArgument`.
  init?(_ method: ControlMethod, _ arguments: [BusValue], by holder: PairingHolder?) throws(SegueError) {
    switch method {
    case .pair:
      let options = try PairOptions(arguments.first?.asDictionary ?? BusDictionary())
      self = .open(try PairingWish(options), by: holder)
    case .renewPairing: self = .renew(by: holder)
    case .typeDigits: self = .type(arguments.first?.asString ?? "")
    case .confirmPairing: self = .confirm(arguments.first?.asBool ?? false)
    case .endPairing: self = .end
    default: return nil
    }
  }
}

extension PairingWish {
  init(_ options: PairOptions) throws(SegueError) {
    self.init(showsCode: options.showsCode)
    guard options.addresses.count <= Limits.deviceAddresses else {
      throw SegueError(.limitExceeded, "A device has at most \(Limits.deviceAddresses) addresses.")
    }
    for text in options.addresses {
      guard let address = LinkAddress(text), address.port > 0 else {
        throw SegueError(
          .invalidArgument, "\"\(DisplayText.clean(text))\" is not an address.",
          advice: "Write host:port, or [host]:port for IPv6.")
      }
      addresses.append(address)
    }
    code = try options.code.map { text throws(SegueError) in try PairingCode(text) }
  }
}

extension PairingRow {
  init(_ state: PairingState, addresses: [LinkAddress]) {
    self.init()
    switch state {
    case .closed: self.state = .closed
    case .open(let code):
      self.state = .open
      self.code = code?.brief.text
      self.addresses = addresses.map { $0.description }
    case .reaching: self.state = .reaching
    case .showing(let digits, let name): (self.state, self.digits, self.name) = (.showing, digits, name)
    case .typing(let name): (self.state, self.name) = (.typing, name)
    case .asking(let name): (self.state, self.name) = (.asking, name)
    case .ending: self.state = .ending
    case .paired(let device, let name):
      (self.state, self.name) = (.paired, name)
      (deviceID, words) = (device.description, device.words)
    case .failed(let error, let remembered):
      self.state = .failed
      (self.error, message, advice) = (error.code.name, error.message, error.advice)
      deviceID = remembered?.description
    }
  }
}
