import SegueBus
import SegueControl
import SegueCore

// Waiting, in `segue pair`: for the other user's word, and for a device that does not pair yet.

extension PairDialogue {
  /// The digits were typed here: the other device's user has to say that they were taken.
  func tellWaiting(_ row: PairingRow, after line: String) {
    guard row.state == .typing, line.utf8.count(where: { (0x30...0x39).contains($0) }) == Self.digits else { return }
    Terminal.note("Waiting for \(row.name.map { Device.quoted($0) } ?? "the other device") to confirm…")
  }

  private static let digits = 6
}

/// Where the other device is, as a user writes it.
enum PairTarget {
  /// With Segue's usual port where none is named. A text that is no address stays as it is, for the daemon to refuse.
  static func address(_ text: String) -> String {
    guard LinkAddress(text) == nil else { return text }
    let isIPv6 = IPAddress(text)?.bytes.count == 16 || text.utf8.contains(UInt8(ascii: "%"))
    let host = isIPv6 && !text.begins(with: "[") ? "[\(text)]" : text
    return LinkAddress("\(host):\(LinkAddress.defaultPort)")?.description ?? text
  }
}

/// Tries again where the other device does not answer yet: its user may begin later than this one's.
struct PairRetry {
  private let end = Instant.now + Limits.pairingWindowTime
  private var isTold = false

  /// Waits a moment after a try that has failed; throws why where another one is of no use. `hasMet`: whether the other
  /// device has answered: then its user knows already, and a new try would be another pairing.
  mutating func wait(after failure: CommandFailure, hasMet: Bool, _ daemon: DaemonClient) throws(CommandFailure) {
    guard failure.kind == .failed, failure.error.code == .connectionUnavailable, !hasMet, Instant.now < end else {
      throw failure
    }
    if !isTold { Terminal.note("\(failure.error.message) Trying again for two minutes: run `segue pair` there too…") }
    isTold = true
    // Signals that come meanwhile are of the try that has ended.
    let next = Instant.now + Limits.pairRetryTime
    while Instant.now < next { _ = try daemon.waitForNews(milliseconds: Instant.now.time(until: next)) }
  }
}
