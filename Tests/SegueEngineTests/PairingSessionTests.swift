import SegueCore
import Testing

@testable import SegueEngine

@Suite struct PairingSessionTests {
  private func paired(_ end: PairingTrial.End) -> DeviceID? {
    if case .paired(let peer)? = end.outcome { peer.device } else { nil }
  }

  @Test func digitsThatAreTypedPairBoth() throws {
    var trial = PairingTrial()
    trial.settle()
    let digits = try #require(trial.ends[0].shown)
    #expect(digits.count == 6 && digits.allSatisfy { $0.isNumber } && trial.ends[1].isAskedForDigits)
    trial.type(right: true)
    trial.settle()
    // The digits alone are not enough: somebody in between could say that they were right.
    #expect(trial.ends[0].isAsked && trial.ends.allSatisfy { $0.pin == nil })
    trial.confirm(true)
    trial.settle()
    #expect(paired(trial.ends[0]) == trial.ends[1].crypto.device && trial.ends[0].pin?.name == "lap")
    #expect(paired(trial.ends[1]) == trial.ends[0].crypto.device && trial.ends[1].pin?.name == "desk")
    #expect(trial.ends[0].pin?.addresses.map { $0.host } == ["192.0.2.1"])
  }

  @Test func aCodePairsWithoutQuestions() {
    let secret = [UInt8](repeating: 7, count: 16)
    var trial = PairingTrial(secrets: [secret, secret])
    trial.settle()
    #expect(trial.ends.allSatisfy { $0.pin != nil && !$0.isAsked && !$0.isAskedForDigits && $0.shown == nil })
  }

  @Test(arguments: [[[1], nil], [nil, [1]], [[1], [2]]] as [[[UInt8]?]])
  func aCodeThatIsNotTheSameIsRefused(secrets: [[UInt8]?]) {
    var trial = PairingTrial(secrets: secrets)
    trial.settle()
    #expect(trial.ends.allSatisfy { $0.pin == nil })
    for end in trial.ends {
      if case .failed? = end.outcome {} else { Issue.record("\(String(describing: end.outcome))") }
    }
  }

  /// Somebody in between has two connections, with a throw-away key of its own on each: the digits differ.
  @Test func attack11_whoIsInBetweenHasOtherDigits() {
    var trial = PairingTrial(keys: [[1], [2]], seenKeys: [[3], [4]])
    trial.settle()
    // Even if it passes all messages on: the commitment does not fit.
    #expect(trial.ends[0].shown == nil || trial.ends[1].isAskedForDigits == false)
    #expect(trial.ends.allSatisfy { $0.pin == nil })
  }

  @Test func attack11_aNonceThatWasNotCommittedToIsNoticed() {
    var trial = PairingTrial()
    trial.deliver(to: 1)
    trial.deliver(to: 0)
    trial.ends[1].inbox = [.reveal([UInt8](repeating: 9, count: 32), proof: nil)]
    trial.settle()
    guard case .failed(_, nil, isGuess: true)? = trial.ends[1].outcome else {
      Issue.record("\(String(describing: trial.ends[1].outcome))")
      return
    }
  }

  @Test func attack12_wrongDigitsAreOneGuess() {
    var trial = PairingTrial()
    trial.settle()
    trial.type(right: false)
    trial.settle()
    guard case .failed(_, nil, isGuess: true)? = trial.ends[1].outcome else {
      Issue.record("\(String(describing: trial.ends[1].outcome))")
      return
    }
    #expect(trial.ends[1].session.isOver && trial.ends[0].session.isOver)
  }

  /// Of a code, the other device must know the secret. It would otherwise be accepted before it accepts.
  @Test func attack12_aProofOfAnotherSecretIsRefused() {
    var trial = PairingTrial(secrets: [[1], [2]])
    trial.settle()
    guard case .failed(_, nil, isGuess: true)? = trial.ends[1].outcome else {
      Issue.record("\(String(describing: trial.ends[1].outcome))")
      return
    }
  }

  @Test func digitsMayBeTypedInGroups() throws {
    var trial = PairingTrial()
    trial.settle()
    let digits = try #require(trial.ends[0].shown)
    trial.handle(.typed("\(digits.prefix(3)) \(digits.suffix(3))"), 1)
    trial.settle()
    #expect(trial.ends[0].isAsked)
  }

  @Test func attack8_aKeyThatDidNotSignIsNotPinned() throws {
    var trial = PairingTrial()
    trial.settle()
    trial.type(right: true)
    guard case .accept(var identity, _)? = trial.ends[0].inbox.first else { throw Failure([]) }
    identity.key = TestCrypto(9).key
    trial.ends[0].inbox = [.accept(identity, proof: nil)]
    trial.settle()
    #expect(!trial.ends[0].isAsked && trial.ends[0].pin == nil)
  }

  @Test func messagesAreReadAsTheyAreWritten() throws {
    let hash = [UInt8](repeating: 1, count: 32)
    let identity = PairingIdentity(
      key: TestCrypto(1).key, signature: [1, 2], addresses: [LinkAddress(host: "fe80::1%eth0", port: 2)])
    let messages: [PairingMessage] = [
      .begin(commitment: hash, name: "desk"), .nonce(hash, name: ""), .reveal(hash, proof: nil),
      .reveal(hash, proof: hash), .accept(identity, proof: nil), .accept(identity, proof: hash), .confirm(identity),
      .done, .refused(.userCancelled),
    ]
    for message in messages { #expect(try PairingMessage.decode(try message.encode()) == message) }
    for bytes in [[], [0xff], [UInt8](repeating: 0x80, count: 9_000)] as [[UInt8]] {
      #expect(throws: SegueError.self) { try PairingMessage.decode(bytes) }
    }
  }

  @Test func aCodeIsReadAsItIsPrinted() throws {
    let code = PairingCode(
      device: TestCrypto(1).device, secret: [UInt8](0..<16), expires: 1_800_000_000,
      addresses: [LinkAddress(host: "2001:db8::1", port: 4711)])
    #expect(try PairingCode(code.text) == code)
    #expect(try PairingCode(" " + code.text.lowercased() + "\n") == code)
    #expect(code.text.allSatisfy { $0.isUppercase || $0.isNumber || $0 == ":" })
    #expect(throws: SegueError.self) { try PairingCode(String(code.text.dropLast(3))) }
    // White space is not counted.
    let room = Limits.pairingCodeLength - code.text.utf8.count
    #expect(try PairingCode(code.text + String(repeating: " ", count: room + 1)) == code)
    #expect(throws: SegueError.self) { try PairingCode(code.text + String(repeating: "A", count: room + 1)) }
    #expect(throws: SegueError.self) { try PairingCode("") }
  }

  /// A check is four digits of base32, as it is written in an id.
  @Test func aCodeWhoseCheckHasNoSuchDigitsIsRefused() throws {
    func code(_ check: [UInt8]) -> PairingCode {
      PairingCode(
        device: DeviceID(hash: [UInt8](repeating: 7, count: 32), check: check), secret: [UInt8](0..<16),
        expires: 1_800_000_000, addresses: [])
    }
    for place in 0..<DeviceID.checkDigits {
      for digit in UInt8.min ... .max {
        var check = [UInt8](repeating: 1, count: DeviceID.checkDigits)
        check[place] = digit
        let text = code(check).text
        if digit < 32 {
          #expect(try PairingCode(text).device.check == check)
        } else {
          #expect(throws: SegueError.self, "\(check)") { try PairingCode(text) }
        }
      }
    }
    for check in [[], [1, 2, 3], [1, 2, 3, 4, 5]] as [[UInt8]] {
      #expect(throws: SegueError.self, "\(check)") { try PairingCode(code(check).text) }
    }
  }
}
