import SegueBus
import SegueCore
import SegueEngine

/// Has Avahi search for services, and reports their addresses. Any peer in the network can announce any number of
/// services, so the numbers of those being resolved and of those waiting for it are limited. Loop thread.
final class AvahiBrowser {
  /// Avahi's object for one search; nil until it has made it.
  private final class Search {
    var path: ObjectPath?
  }

  private let server: AvahiServer
  private let tell: (DiscoveryEvent) -> Void
  private var searches: [ServiceSearch: Search] = [:]
  private var subscriptions: [SignalSubscription] = []
  /// Services that will be resolved, the oldest first.
  private var waiting: [FoundService.Key] = []
  private var resolving: [FoundService.Key: PendingReply] = [:]

  private static let anyProtocol: Int32 = -1
  private static let (v4, v6): (Int32, Int32) = (0, 1)
  /// AVAHI_LOOKUP_RESULT_OUR_OWN: this connection to Avahi has announced it.
  private static let own: UInt32 = 16

  init(_ server: AvahiServer, tell: @escaping (DiscoveryEvent) -> Void) {
    self.server = server
    self.tell = tell
    // A signal's service type names its search, so signals may come before the search's path.
    subscriptions = [
      server.listen("ItemNew", of: .serviceBrowser) { [weak self] _, values in self?.came(values) },
      server.listen("ItemRemove", of: .serviceBrowser) { [weak self] _, values in self?.went(values) },
      server.listen("Failure", of: .serviceBrowser) { [weak self] path, values in
        guard let self, searches.values.contains(where: { $0.path?.string == path }) else { return }
        failed(SegueError(.system, "Avahi finds nothing: \(values.first?.asString ?? "")"))
      },
    ]
  }

  /// Looks for these services, and for no others.
  func browse(_ wanted: Set<ServiceSearch>) {
    for (place, search) in searches where !wanted.contains(place) {
      searches[place] = nil
      if let path = search.path { server.free(path, of: .serviceBrowser) }
      waiting.removeAll { Self.place($0) == place }
      for (key, reply) in resolving where Self.place(key) == place {
        resolving[key] = nil
        reply.cancel()
      }
    }
    for place in wanted where searches[place] == nil { begin(place) }
    resolveNext()
  }

  func close() {
    for subscription in subscriptions { subscription.cancel() }
    browse([])
  }

  private static func place(_ key: FoundService.Key) -> ServiceSearch { ServiceSearch(key.kind, on: key.interface) }

  private func begin(_ place: ServiceSearch) {
    let search = Search()
    searches[place] = search
    server.make(
      "ServiceBrowserNew",
      [
        .int32(place.interface), .int32(Self.anyProtocol), .string(place.kind.type), .string(AvahiServer.domain),
        .uint32(0),
      ]
    ) { [weak self, server] result in
      switch result {
      case .success(let path):
        guard self?.searches[place] === search else { return server.free(path, of: .serviceBrowser) }
        search.path = path
      case .failure(let refusal):
        guard let self, searches[place] === search else { return }
        failed(refusal.error)
      }
    }
  }

  private func failed(_ error: SegueError) {
    browse([])
    tell(.available(error))
  }

  // MARK: Services

  private func came(_ values: [BusValue]) {
    guard let key = key(values), values.last?.asUInt32.map({ $0 & Self.own == 0 }) ?? false else { return }
    waiting.append(key)
    if waiting.count > Limits.resolvesWaiting { waiting.removeFirst() }
    resolveNext()
  }

  private func went(_ values: [BusValue]) {
    guard let key = key(values) else { return }
    // A service that was not resolved was not reported, so its end is not reported either.
    if let index = waiting.firstIndex(of: key) {
      waiting.remove(at: index)
    } else if let reply = resolving.removeValue(forKey: key) {
      reply.cancel()
      resolveNext()
    } else {
      tell(.gone(key))
    }
  }

  /// The service that a signal is about: interface, protocol, name, type, domain. Nil for one that was not searched
  /// for.
  private func key(_ values: [BusValue]) -> FoundService.Key? {
    guard values.count == 6, let interface = values[0].asInt32, let version = values[1].asInt32,
      version == Self.v4 || version == Self.v6, let name = values[2].asString, let type = values[3].asString,
      let kind = ServiceKind.allCases.first(where: { $0.type == type }), values[4].asString == AvahiServer.domain,
      searches[ServiceSearch(kind, on: interface)] != nil
    else { return nil }
    return FoundService.Key(kind: kind, interface: interface, isIPv6: version == Self.v6, name: name)
  }

  private func resolveNext() {
    while resolving.count < Limits.resolvesAtOnce, !waiting.isEmpty {
      let key = waiting.removeFirst()
      // It was announced anew; the answer that is awaited is as good.
      guard resolving[key] == nil else { continue }
      let version = key.isIPv6 ? Self.v6 : Self.v4
      let reply = server.call(
        "ResolveService", of: .server,
        [
          .int32(key.interface), .int32(version), .string(key.name), .string(key.kind.type),
          .string(AvahiServer.domain), .int32(version), .uint32(0),
        ], timeout: Limits.callTime
      ) { [weak self] result in
        guard let self else { return }
        resolving[key] = nil
        if let values = try? result.get(), let service = Self.service(key, values) { tell(.found(service)) }
        resolveNext()
      }
      resolving[key] = reply
    }
  }

  /// Reads interface, protocol, name, type, domain, host, version of the address, address, port, strings, flags.
  private static func service(_ key: FoundService.Key, _ values: [BusValue]) -> FoundService? {
    guard values.count == 11, values[6].asInt32 == (key.isIPv6 ? v6 : v4), let address = values[7].asString,
      case .uint16(let port) = values[8], let strings = values[9].asArray
    else { return nil }
    let text = strings.prefix(Limits.serviceTextStrings).compactMap { $0.asBytes }
    return FoundService(key: key, address: address, port: port, text: text)
  }
}
