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
    // The digits alone are not enough: an attacker in between could claim that they were right.
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

  /// An attacker in between has two connections, with its own ephemeral key on each: the digits differ.
  @Test func attack11_whoIsInBetweenHasOtherDigits() {
    var trial = PairingTrial(keys: [[1], [2]], seenKeys: [[3], [4]])
    trial.settle()
    // The same holds if it passes all messages on: the commitment does not fit.
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

  /// The other device must know the secret of a code. Otherwise it would be accepted before it accepts.
  @Test func attack12_aProofOfAnotherSecretIsRefused() {
    var trial = PairingTrial(secrets: [[1], [2]])
    trial.settle()
    // A secret of this length cannot be guessed.
    guard case .failed(_, nil, isGuess: false)? = trial.ends[1].outcome, trial.ends[1].pin == nil else {
      Issue.record("\(String(describing: trial.ends[1].outcome))")
      return
    }
  }

  /// The user of a code dials, and the answer is made by hand, since an honest device would have refused already.
  private func answered(
    expected: DeviceID? = nil, _ change: (inout PairingIdentity, inout [UInt8]?) -> Void
  ) throws -> PairingTrial {
    let secret = [UInt8](repeating: 7, count: 16)
    var trial = PairingTrial(secrets: [secret, secret], expected: expected)
    for index in [1, 0, 1] { trial.deliver(to: index) }
    guard case .accept(var identity, var proof)? = trial.ends[0].inbox.first else { throw Failure([]) }
    change(&identity, &proof)
    trial.ends[0].inbox = [.accept(identity, proof: proof)]
    trial.settle()
    return trial
  }

  private func isRefused(_ trial: PairingTrial) -> Bool {
    guard case .failed(_, nil, isGuess: false)? = trial.ends[0].outcome else { return false }
    return trial.ends[0].pin == nil && trial.ends[1].pin == nil
  }

  /// The device that answers the user of a code proves the secret too: the code may have led to another device's
  /// address.
  @Test func attack12_whoDoesNotKnowTheSecretIsNotPaired() throws {
    #expect(isRefused(try answered { $1?[0] ^= 1 }))
    #expect(isRefused(try answered { $1 = nil }))
    #expect(isRefused(try answered { $1 = [] }))
    #expect(paired(try answered { _, _ in }.ends[0]) == TestCrypto(2).device)
  }

  /// More devices than the one that made a secret may know it.
  @Test func attack8_aCodePairsWithTheDeviceThatItNamesOnly() throws {
    #expect(isRefused(try answered(expected: TestCrypto(9).device) { _, _ in }))
    #expect(paired(try answered(expected: TestCrypto(2).device) { _, _ in }.ends[0]) == TestCrypto(2).device)
  }

  /// A try that ends once one side may know the digits has counted for both sides, however it ends.
  @Test(arguments: ["closed", "silent", "refused", "ended", "nonsense"])
  func attack12_whoLeavesBeforeAnythingIsDecidedHasHadAGuess(_ how: String) throws {
    let cancelled = SegueError(.userCancelled, "Cancelled.")
    let events: [String: PairingSession.Event] = [
      "closed": .closed, "silent": .silent, "refused": .received(.refused(.userCancelled)), "ended": .ended(cancelled),
      "nonsense": .received(.done),
    ]
    let event = try #require(events[how])
    func isGuess(_ index: Int, after deliveries: [Int], types: Bool = false) -> Bool? {
      var trial = PairingTrial()
      for end in deliveries { trial.deliver(to: end) }
      if types {
        trial.type(right: true)
        trial.deliver(to: 0)
      }
      trial.handle(event, index)
      guard case .failed(_, nil, let isGuess)? = trial.ends[index].outcome else { return nil }
      return isGuess
    }
    // No device has sent anything that the digits are made from.
    #expect(isGuess(0, after: []) == false)
    #expect(isGuess(1, after: []) == false)
    // The other device has sent its nonce; then both know the digits.
    #expect(isGuess(1, after: [1]) == true)
    #expect(isGuess(1, after: [1, 0, 1]) == true)
    #expect(isGuess(0, after: [1, 0]) == true)
    // The digits were right, but the dialler's user has not said so yet.
    #expect(isGuess(0, after: [1, 0, 1], types: true) == true)
    #expect(isGuess(1, after: [1, 0, 1], types: true) == false)
  }

  @Test func attack12_aSecretIsNotGuessed() {
    let secret = [UInt8](repeating: 7, count: 16)
    for (index, deliveries) in [(1, [1]), (0, [1, 0])] {
      var trial = PairingTrial(secrets: [secret, secret])
      for end in deliveries { trial.deliver(to: end) }
      trial.handle(.closed, index)
      guard case .failed(_, nil, isGuess: false)? = trial.ends[index].outcome else {
        Issue.record("\(String(describing: trial.ends[index].outcome))")
        continue
      }
    }
  }

  @Test func digitsMayBeTypedInGroups() throws {
    var trial = PairingTrial()
    trial.settle()
    let digits = try #require(trial.ends[0].shown)
    trial.handle(.typed("\(digits.prefix(3)) \(digits.suffix(3))"), 1)
    trial.settle()
    #expect(trial.ends[0].isAsked)
    #expect(PairingAgreement.digits(in: " 012-345 ") == "012345")
    for text in ["", "12345", "1234567", "12345x", "\u{FF11}23456", "12 345", "+12345", "123456\r\n"] {
      #expect(PairingAgreement.digits(in: text) == nil, "\(text)")
    }
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

  @Test func attack5_noAddressOfAPairingHasPort0() throws {
    for (port, isRead) in [(0, false), (1, true)] as [(UInt16, Bool)] {
      let addresses = [LinkAddress(host: "192.0.2.7", port: 4711), LinkAddress(host: "192.0.2.7", port: port)]
      let code = PairingCode(
        device: TestCrypto(1).device, secret: [UInt8](0..<16), expires: 1_800_000_000, addresses: addresses)
      let message = PairingMessage.confirm(
        PairingIdentity(key: TestCrypto(1).key, signature: [1], addresses: addresses))
      let bytes = try message.encode()
      #expect((try? PairingCode(code.text)) == (isRead ? code : nil))
      #expect((try? PairingMessage.decode(bytes)) == (isRead ? message : nil))
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

  /// A code that is good except for its length: its other content is not examined. No base32 is one digit longer than
  /// this.
  @Test(arguments: [(0, true), (2, false)]) func aCodeIsNoLongerThanItMayBe(_ excess: Int, _ isRead: Bool) throws {
    let device = TestCrypto(1).device
    /// The code with this many bytes of an entry that another version may add.
    func text(_ padding: Int) throws -> String {
      let bytes = try CBOR.encode(
        .dictionary([
          "d": .data(device.bytes), "c": .data(device.check), "s": .data([UInt8](0..<16)), "e": 1_800_000_000,
          "a": .array([]), "x": .data([UInt8](repeating: 0, count: padding)),
        ]))
      return "SEGUE:" + Base32.text(bytes).uppercased()
    }
    let length = Limits.pairingCodeLength + excess
    let found = try (300...Limits.pairingCodeLength).lazy.map { try text($0) }.first { $0.utf8.count >= length }
    let code = try #require(found)
    #expect(code.utf8.count == length)
    if isRead {
      #expect(try PairingCode(code).device == device)
    } else {
      #expect(throws: SegueError.self) { try PairingCode(code) }
    }
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
    // As many digits as there are, and none.
    let right = try CBOR.encode(code([1, 1, 1, 1]).field)
    for check in [[], [1, 2, 3], [1, 1, 1, 1], [1, 2, 3, 4, 5]] as [[UInt8]] {
      guard case .dictionary(var fields) = try CBOR.decode(right) else { throw SegueError(.invalidArgument, "a code") }
      fields["c"] = .data(check)
      let text = "segue:" + Base32.text(try CBOR.encode(.dictionary(fields)))
      if check.count == DeviceID.checkDigits {
        #expect(try PairingCode(text).device.check == check)
      } else {
        #expect(throws: SegueError.self, "\(check)") { try PairingCode(text) }
      }
    }
  }
}
