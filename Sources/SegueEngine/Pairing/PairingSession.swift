import SegueCore

/// One pairing with one device, over one connection whose ends have shown ephemeral keys (docs/pairing.md).
///
/// The device that dialled shows six digits, and its user types them on the other device, which compares them and never
/// sends them. Then the user confirms on the first device that the other one accepted them: otherwise somebody in
/// between could claim that. With a copied code, both sides prove instead that they know its secret, and no user is
/// asked.
///
/// Before that, this device stores nothing about the other one, and neither has sent its permanent key without knowing
/// that the digits or the secret are right.
public struct PairingSession: Sendable {
  public enum Event: Equatable, Sendable {
    case received(PairingMessage)
    /// The user has typed digits here.
    case typed(String)
    /// The user has said whether the other device took the digits.
    case confirmed(Bool)
    /// The other device has been written to disk; or the error, if it was not. `wasPaired`: it was there before.
    case remembered(SegueError?, wasPaired: Bool = false)
    /// The other device has not answered in time.
    case silent
    /// The user has cancelled, or the window has closed.
    case ended(SegueError)
    /// The connection is closed.
    case closed

    /// Whether the event ends the session, whatever went before.
    var isRefusal: Bool {
      switch self {
      case .received(.refused), .ended, .closed, .silent: true
      default: false
      }
    }
  }

  public enum Effect: Equatable, Sendable {
    case send(PairingMessage)
    /// Show these digits, which the user is to type on the device of that name.
    case show(digits: String, name: String)
    /// Ask the user for the digits that the device of that name shows.
    case askDigits(name: String)
    /// Ask the user whether the device of that name accepted the digits.
    case askConfirmation(name: String)
    /// Write the other device down. Answered by `remembered`.
    case remember(PairedPeer)
    /// Remove the other device from disk again, since the pairing has failed, or since the other device says that it
    /// does not remember this one. A device that was paired before is never removed: a failed pairing takes nothing
    /// away.
    case forget(PairedPeer)
    /// The session is over, and the connection is to be closed when all messages have been sent.
    case finished(Outcome)
  }

  public enum Outcome: Equatable, Sendable {
    case paired(PairedPeer)
    /// `remembered`: the device that this one remembers without knowing whether it remembers this one. `isGuess`:
    /// somebody may have tried digits.
    case failed(SegueError, remembered: PairedPeer?, isGuess: Bool)
  }

  /// The other device, as this one remembers it.
  public struct PairedPeer: Equatable, Sendable {
    public var device: DeviceID
    public var name: String
    public var addresses: [LinkAddress]
  }

  enum State: Equatable {
    // The dialler.
    case awaitingNonce([UInt8])
    case showing(PairingAgreement)
    case asking(PairingAgreement, PairedPeer)
    case awaitingDone(PairedPeer)
    // The other device.
    case awaitingBegin
    case awaitingReveal(commitment: [UInt8], nonce: [UInt8], name: String)
    case typing(PairingAgreement)
    case awaitingConfirm(PairingAgreement)
    // Both.
    case remembering(PairingAgreement, PairedPeer)
    /// The session failed while the other device was being written down, which is undone.
    case undoing(PairedPeer, SegueError)
    case ended
  }

  /// The values that a pairing begins with.
  public struct Start: Sendable {
    public var role: PairingRole
    /// The ephemeral keys' hashes, as TLS proved them.
    public var key: [UInt8]
    public var otherKey: [UInt8]
    public var name: String
    public var addresses: [LinkAddress]
    /// The secret of the copied code that is used; nil: digits are used.
    public var secret: [UInt8]?
    /// The device that the copied code names; nil: any.
    public var expected: DeviceID?

    public init(
      role: PairingRole, key: [UInt8], otherKey: [UInt8], name: String, addresses: [LinkAddress],
      secret: [UInt8]? = nil, expected: DeviceID? = nil
    ) {
      self.role = role
      self.key = key
      self.otherKey = otherKey
      self.name = name
      self.addresses = addresses
      self.secret = secret
      self.expected = expected
    }

    /// Whether this device chooses the connection, if there are several.
    var chooses: Bool { key.lexicographicallyPrecedes(otherKey) }
  }

  let start: Start
  private let crypto: any PairingCrypto & Sendable
  private(set) var state: State
  /// Whether the other device was paired before it was written down.
  private var wasPaired = false

  /// A new session, and its first effects.
  public static func begin(_ start: Start, _ crypto: any PairingCrypto & Sendable) -> (PairingSession, [Effect]) {
    guard start.role == .dialler else {
      return (PairingSession(start: start, crypto: crypto, state: .awaitingBegin), [])
    }
    let nonce = crypto.random(PairingMessage.nonceLength)
    let commitment = PairingAgreement.commitment(
      key: start.key, otherKey: start.otherKey, nonce: nonce, crypto)
    return (
      PairingSession(start: start, crypto: crypto, state: .awaitingNonce(nonce)),
      [.send(.begin(commitment: commitment, name: start.name))]
    )
  }

  public var isOver: Bool { state == .ended }

  /// Whether nobody else can pair in the same window: by digits as soon as one of them may be known to the other side, with
  /// a code as soon as its secret is proved.
  var isAlone: Bool {
    switch state {
    case .awaitingNonce, .awaitingBegin, .ended: false
    case .awaitingReveal, .showing: start.secret == nil
    default: true
    }
  }

  /// Whether somebody in between may know the digits by now, before a user here has said that they are right. Leaving
  /// now counts as a guess. A secret cannot be guessed.
  private var isUndecided: Bool {
    guard start.secret == nil else { return false }
    switch state {
    case .awaitingReveal, .typing, .showing, .asking: return true
    default: return false
    }
  }

  /// Whether the other device is expected to send the next message without its user.
  var isAnswered: Bool {
    switch state {
    case .awaitingNonce, .awaitingBegin, .awaitingReveal, .awaitingDone: true
    case .showing, .awaitingConfirm: start.secret != nil
    default: false
    }
  }

  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .received(.refused(let code)): return refused(code)
    case .received(let message): return receive(message)
    case .typed(let digits): return type(digits)
    case .confirmed(let isRight): return confirm(isRight)
    case .remembered(let error, let wasPaired): return remembered(error, wasPaired: wasPaired)
    case .ended(let error): return end(error, tell: error.code)
    case .closed: return end(isUndecided ? Self.left : Self.lost, tell: nil)
    case .silent: return end(isUndecided ? Self.left : Self.noAnswer, tell: .remoteApplicationTimedOut)
    }
  }

  // MARK: Messages

  private mutating func receive(_ message: PairingMessage) -> [Effect] {
    switch (state, message) {
    case (.awaitingBegin, .begin(let commitment, let name)):
      let nonce = crypto.random(PairingMessage.nonceLength)
      state = .awaitingReveal(commitment: commitment, nonce: nonce, name: name)
      return [.send(.nonce(nonce, name: start.name))]
    case (.awaitingNonce(let nonce), .nonce(let otherNonce, let name)):
      let agreement = agreement(own: nonce, other: otherNonce, otherName: name)
      state = .showing(agreement)
      let proof = start.secret.map { agreement.proof(of: $0, by: .dialler, crypto) }
      return [.send(.reveal(nonce, proof: proof))]
        + (proof == nil ? [.show(digits: agreement.digits, name: name)] : [])
    case (.awaitingReveal(let commitment, let nonce, let name), .reveal(let otherNonce, let proof)):
      let expected = PairingAgreement.commitment(
        key: start.otherKey, otherKey: start.key, nonce: otherNonce, crypto)
      guard commitment == expected else { return end(Self.intruder, tell: .accessDenied) }
      return agreed(agreement(own: nonce, other: otherNonce, otherName: name), proof: proof)
    case (.showing(let agreement), .accept(let identity, let proof)):
      if let secret = start.secret, proof != agreement.proof(of: secret, by: .other, crypto) {
        return end(Self.intruder, tell: .accessDenied)
      }
      guard let peer = peer(identity, agreement) else { return end(Self.intruder, tell: .accessDenied) }
      if start.secret != nil {
        state = .remembering(agreement, peer)
        return [.remember(peer)]
      }
      state = .asking(agreement, peer)
      return [.askConfirmation(name: peer.name)]
    case (.awaitingConfirm(let agreement), .confirm(let identity)):
      guard let peer = peer(identity, agreement) else { return end(Self.intruder, tell: .accessDenied) }
      state = .remembering(agreement, peer)
      return [.remember(peer)]
    case (.awaitingDone(let peer), .done):
      state = .ended
      return [.finished(.paired(peer))]
    case (.ended, _): return []
    default: return end(PairingMessage.malformed, tell: .protocolViolation)
    }
  }

  /// Goes on, on the device that was dialled, once both nonces are known.
  private mutating func agreed(_ agreement: PairingAgreement, proof: [UInt8]?) -> [Effect] {
    switch (start.secret, proof) {
    case (nil, nil):
      state = .typing(agreement)
      return [.askDigits(name: agreement.otherName)]
    case (let secret?, let proof?):
      guard proof == agreement.proof(of: secret, by: .dialler, crypto) else {
        return end(Self.wrongCode, tell: .accessDenied)
      }
      return accept(agreement, proof: agreement.proof(of: secret, by: .other, crypto))
    case (nil, _?): return end(Self.noCode, tell: .notFound)
    case (_?, nil): return end(Self.codeOnly, tell: .accessDenied)
    }
  }

  private mutating func accept(_ agreement: PairingAgreement, proof: [UInt8]?) -> [Effect] {
    guard let identity = identity(agreement) else { return end(Self.noSignature, tell: .system) }
    state = .awaitingConfirm(agreement)
    return [.send(.accept(identity, proof: proof))]
  }

  // MARK: The user

  private mutating func type(_ digits: String) -> [Effect] {
    guard case .typing(let agreement) = state else { return [] }
    guard PairingAgreement.digits(in: digits) == agreement.digits else {
      return end(Self.wrongDigits, tell: .accessDenied)
    }
    return accept(agreement, proof: nil)
  }

  private mutating func confirm(_ isRight: Bool) -> [Effect] {
    guard case .asking(let agreement, let peer) = state else { return [] }
    guard isRight else { return end(Self.denied, tell: .userCancelled) }
    state = .remembering(agreement, peer)
    return [.remember(peer)]
  }

  // MARK: The disk

  private mutating func remembered(_ error: SegueError?, wasPaired: Bool) -> [Effect] {
    if case .undoing(let peer, let cause) = state {
      state = .ended
      return (error == nil && !wasPaired ? [.forget(peer)] : [])
        + [.finished(.failed(cause, remembered: nil, isGuess: false))]
    }
    guard case .remembering(let agreement, let peer) = state else { return [] }
    self.wasPaired = wasPaired
    if let error {
      state = .ended
      return [.send(.refused(error.code)), .finished(.failed(error, remembered: nil, isGuess: false))]
    }
    guard start.role == .dialler else {
      state = .ended
      return [.send(.done), .finished(.paired(peer))]
    }
    guard let identity = identity(agreement) else {
      state = .awaitingDone(peer)
      return end(Self.noSignature, tell: .system)
    }
    state = .awaitingDone(peer)
    return [.send(.confirm(identity))]
  }

  // MARK: The end

  private mutating func end(_ error: SegueError, tell code: SegueError.Code?) -> [Effect] {
    let isGuess = isUndecided
    var remembered: PairedPeer?
    switch state {
    case .ended, .undoing: return []
    // The device that dialled remembers this one already, so that this end has succeeded.
    case .remembering where start.role == .other: return []
    case .remembering(_, let peer):
      state = .undoing(peer, error)
      return code.map { [.send(.refused($0))] } ?? []
    case .awaitingDone(let peer): remembered = peer
    default: break
    }
    state = .ended
    return (code.map { [.send(.refused($0))] } ?? [])
      + [.finished(.failed(error, remembered: remembered, isGuess: isGuess))]
  }

  /// The other device says that the pairing is over, and so that it does not remember this one.
  private mutating func refused(_ code: SegueError.Code) -> [Effect] {
    guard case .awaitingDone(let peer) = state else {
      // The user has not seen yet that a device began to pair.
      if case .awaitingReveal = state, isUndecided { return end(Self.left, tell: nil) }
      return end(Self.refusal(code), tell: nil)
    }
    state = .ended
    return (wasPaired ? [] : [.forget(peer)])
      + [.finished(.failed(Self.refusal(code), remembered: nil, isGuess: false))]
  }

  // MARK: Helpers

  private func agreement(own: [UInt8], other: [UInt8], otherName: String) -> PairingAgreement {
    let mine = PairingAgreement.End(key: start.key, nonce: own, name: start.name)
    let theirs = PairingAgreement.End(key: start.otherKey, nonce: other, name: otherName)
    return start.role == .dialler
      ? PairingAgreement(dialler: mine, other: theirs, seenBy: .dialler, crypto)
      : PairingAgreement(dialler: theirs, other: mine, seenBy: .other, crypto)
  }

  private func identity(_ agreement: PairingAgreement) -> PairingIdentity? {
    crypto.signature(of: agreement.signed(by: start.role)).map {
      PairingIdentity(key: crypto.key, signature: $0, addresses: start.addresses)
    }
  }

  /// The other device; nil if its key did not sign the agreement, or if it is not the device that the code names.
  private func peer(_ identity: PairingIdentity, _ agreement: PairingAgreement) -> PairedPeer? {
    let other: PairingRole = start.role == .dialler ? .other : .dialler
    guard
      let device = crypto.device(key: identity.key, signature: identity.signature, of: agreement.signed(by: other)),
      start.expected == nil || start.expected == device
    else { return nil }
    return PairedPeer(device: device, name: agreement.otherName, addresses: identity.addresses)
  }
}
