import SegueCore

// Pairing: what the user wants, and what comes from connections and from the disk.

extension Engine {
  /// How far a pairing is.
  public var pairingState: PairingState { pairing.state }

  /// Where this device can be dialled, as it was told last.
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
