import SegueCore

// Pairing: the wishes of the user, and the events of connections and of the disk.

extension Engine {
  /// The state of the pairing.
  public var pairingState: PairingState { pairing.state }

  /// The addresses at which this device can be dialled, as they were last reported.
  public var ownAddresses: [LinkAddress] { addresses.own }

  mutating func pairing(_ event: PairingEvent) {
    pairing.handle(event, &turn)
    deadlines.set(.pairing, at: pairing.until)
  }

  mutating func pairing(_ request: RequestID, _ call: Event.PairingCall) {
    do throws(SegueError) {
      switch call {
      case .open(let wish, let holder): try pairing.open(wish, by: holder, addresses: addresses.own, &turn)
      case .renew(let holder): try pairing.renew(by: holder, &turn)
      case .type(let digits): try pairing.type(digits, &turn)
      case .confirm(let isRight): try pairing.confirm(isRight, &turn)
      case .end: pairing.close(Pairing.cancelled, &turn)
      }
      turn.emit(.reply(request, .done))
    } catch {
      turn.emit(.reply(request, .failed(error)))
    }
    deadlines.set(.pairing, at: pairing.until)
  }
}
