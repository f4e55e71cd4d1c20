import SegueBus
import SegueCore
import SegueEngine

/// The announcement of a service on one interface, which Avahi calls an entry group. Loop thread.
final class AvahiEntryGroup {
  enum End {
    /// Another device has the name.
    case collided
    case failed(SegueError)
  }

  /// One service on one interface.
  struct Service: Equatable {
    let kind: ServiceKind
    let name: String
    let host: String
    let text: [[UInt8]]
    let interface: NetworkInterface
  }

  let service: Service
  private let server: AvahiServer
  /// Nil until Avahi has made it.
  private(set) var path: ObjectPath?
  /// Nil when it has ended.
  private var ended: ((End) -> Void)?

  private static let (collision, failure): (Int32, Int32) = (3, 4)
  /// AVAHI_PUBLISH_NO_REVERSE: the address has the machine's name already.
  private static let noReverse: UInt32 = 16
  private static let anyProtocol: Int32 = -1
  private static let (v4, v6): (Int32, Int32) = (0, 1)

  /// `ended` is called at most once, in a dispatch, and not after `free`.
  init(_ service: Service, at server: AvahiServer, ended: @escaping (End) -> Void) {
    self.service = service
    self.server = server
    self.ended = ended
    // Stays alive until the answer: what Avahi has made then is freed or filled.
    server.make("EntryGroupNew") { [self] result in
      switch result {
      case .success(let path):
        guard self.ended != nil else { return server.free(path, of: .entryGroup) }
        self.path = path
        fill(path)
      case .failure(let refusal): end(refusal)
      }
    }
  }

  /// Takes back what is announced.
  func free() {
    ended = nil
    guard let path else { return }
    self.path = nil
    server.free(path, of: .entryGroup)
  }

  /// Avahi tells how far it is with the group.
  func changed(_ values: [BusValue]) {
    switch values.first?.asInt32 {
    case Self.collision: end(.collided)
    case Self.failure:
      end(.failed(SegueError(.system, "Avahi does not announce it: \(values.last?.asString ?? "")")))
    default: break
    }
  }

  /// The host is not this machine's but one of the service's own, which has the addresses of this interface only.
  private func fill(_ path: ObjectPath) {
    let interface = service.interface
    add(
      path, "AddService",
      [
        .int32(interface.index), .int32(Self.anyProtocol), .uint32(0), .string(service.name),
        .string(service.kind.type), .string(AvahiServer.domain), .string(service.host), .uint16(interface.port),
        .array(elementSignature: "ay", service.text.map { .bytes($0) }),
      ])
    for address in interface.addresses.map(\.address) {
      add(
        path, "AddAddress",
        [
          .int32(interface.index), .int32(address.bytes.count == 4 ? Self.v4 : Self.v6), .uint32(Self.noReverse),
          .string(service.host), .string(address.text),
        ])
    }
    add(path, "Commit", [])
  }

  private func add(_ path: ObjectPath, _ member: StaticString, _ values: [BusValue]) {
    server.call(member, of: .entryGroup, at: path, values) { [weak self] result in
      if case .failure(let refusal) = result { self?.end(refusal) }
    }
  }

  private func end(_ refusal: AvahiServer.Refusal) {
    if refusal.isCollision { return end(.collided) }
    guard refusal.isNotPermitted else { return end(.failed(refusal.error)) }
    end(
      .failed(
        SegueError(
          .accessDenied, "Avahi announces no services of users.",
          advice: "Set disable-user-service-publishing=no and disable-publishing=no in avahi-daemon.conf.")))
  }

  private func end(_ end: End) {
    guard let body = ended else { return }
    free()
    body(end)
  }
}
