import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// Recognizes the network that this machine is in, by its router's hardware address as the kernel knows it
/// (proc_net(5)). Only the router of IPv4 counts. Nothing is watched unless a choice depends on it.
final class NetworkRecognition {
  private let loop: EventLoop
  private let changed: (PresentNetwork) -> Void
  private var watch: NetworkWatch?
  private var told: PresentNetwork?

  /// `changed` is called at once when it is needed, and after each change in a dispatch of the loop.
  init(_ loop: EventLoop, changed: @escaping (PresentNetwork) -> Void) {
    self.loop = loop
    self.changed = changed
  }

  /// Whether a choice depends on the network.
  var isNeeded = false {
    didSet {
      guard isNeeded != oldValue else { return }
      if isNeeded {
        watch = try? NetworkWatch(loop, ofRouters: true) { [weak self] in self?.look() }
        look()
      } else {
        close()
      }
    }
  }

  func close() {
    watch?.close()
    watch = nil
    told = nil
  }

  private func look() {
    let network = Self.present()
    guard network != told else { return }
    told = network
    changed(network)
  }

  // MARK: The kernel's tables

  static func present() -> PresentNetwork {
    present(routes: content("/proc/net/route"), neighbors: content("/proc/net/arp"))
  }

  private static func content(_ path: String) -> [UInt8] {
    File.beginning(of: path, maximum: Limits.fileLength) ?? []
  }

  /// `routes` and `neighbors`: as /proc/net/route and /proc/net/arp say it.
  static func present(routes: [UInt8], neighbors: [UInt8]) -> PresentNetwork {
    let defaults = rows(routes).compactMap { row -> (interface: String, router: UInt32, metric: UInt32)? in
      guard row.count >= 8, row[1].isSame(as: "00000000"), row[7].isSame(as: "00000000"),
        let router = UInt32(row[2], radix: 16), router != 0, let metric = UInt32(row[6])
      else { return nil }
      return (row[0], router, metric)
    }
    guard let way = defaults.min(by: { $0.metric < $1.metric }) else { return .none }
    let address = withUnsafeBytes(of: way.router) { $0.map { String($0) }.joined(separator: ".") }
    let row = rows(neighbors).first { $0.count >= 6 && $0[0].isSame(as: address) && $0[5].isSame(as: way.interface) }
    guard let row, let id = NetworkID(row[3]) else { return .unrecognized }
    return .recognized(id)
  }

  /// The words of each line but the first, which has the columns' names.
  private static func rows(_ table: [UInt8]) -> [[String]] {
    table.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropFirst().map { line in
      line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
