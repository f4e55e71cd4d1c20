import SegueCore

// The record of continuations as it stands in its file.

extension ContinuationJournal {
  private static let version: Int64 = 1

  public func encode() throws(SegueError) -> [UInt8] {
    // Each application's id stands once in the file.
    let apps = Set(given.compactMap { $0.appID }).sorted { $0.string < $1.string }
    return try CBOR.encode([
      "version": .integer(Self.version), "running": .array(running.map { $0.value }),
      "untold": .array(untold.map { $0.value }), "apps": .array(apps.map { .string($0.string) }),
      "given": Self.packed(given, { $0.device }) { entry in
        // 0 stands for none.
        let app = entry.appID.flatMap { apps.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let rest = Identifier(
          high: entry.revision << 8 | UInt64(entry.stage.rawValue), low: UInt64(app << 8 | entry.uses))
        return entry.continuation.bytes + entry.activity.bytes + rest.bytes
      },
      "taken": Self.packed(taken, { $0.device }) { $0.activity.bytes + Identifier(high: 0, low: $0.revision).bytes },
    ])
  }

  /// Throws `invalidArgument` for a file that cannot be understood as a whole. An entry that cannot is left out.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> ContinuationJournal {
    let malformed = SegueError(.invalidArgument, "The record of continuations cannot be understood.")
    let value: Value
    do throws(SegueError) { value = try CBOR.decode(bytes) } catch { throw malformed }
    guard case .dictionary(let entries) = value, entries["version"]?.integer == version else { throw malformed }
    var journal = ContinuationJournal()
    for value in entries["running"]?.array ?? [] {
      if let continuation = Running(value) { journal.note(continuation) }
    }
    for value in entries["untold"]?.array ?? [] {
      if let untold = Pending(value), let device = untold.device { journal.tell(device, untold.notice) }
    }
    let apps = (entries["apps"]?.array ?? []).map { $0.string.flatMap { AppID($0) } }
    unpack(entries["given"], count: 3) { device, ids in
      guard let stage = Given.Stage(rawValue: UInt8(truncatingIfNeeded: ids[2].high)),
        let number = Int(exactly: ids[2].low >> 8), number <= apps.count
      else { return }
      let appID = number > 0 ? apps[number - 1] : nil
      journal.give(
        Given(
          device: device, continuation: ids[0], activity: ids[1], appID: appID, stage: stage,
          revision: ids[2].high >> 8, uses: Int(ids[2].low & 0xff)))
    }
    unpack(entries["taken"], count: 2) { device, ids in
      journal.take(ids[0], of: device, revision: ids[1].low)
    }
    return journal
  }

  /// Packs all entries of a device into one string of bytes: there are many of them, and each change writes them all.
  private static func packed<T>(_ list: [T], _ device: (T) -> DeviceID?, _ bytes: (T) -> [UInt8]) -> Value {
    var devices: [DeviceID?] = []
    var packed: [DeviceID?: [UInt8]] = [:]
    for entry in list {
      let device = device(entry)
      if packed[device] == nil { devices.append(device) }
      packed[device, default: []] += bytes(entry)
    }
    return .array(devices.map { .array([.string(DeviceID.recorded($0)), .data(packed[$0] ?? [])]) })
  }

  /// `count`: how many ids make an entry.
  private static func unpack(_ value: Value?, count: Int, _ body: (DeviceID?, [Identifier]) -> Void) {
    for value in value?.array ?? [] {
      guard let pair = value.array, pair.count == 2, let name = pair[0].string, let bytes = pair[1].data else {
        continue
      }
      let device = DeviceID(recorded: name)
      guard device != nil || name == DeviceID.here else { continue }
      var rest = bytes[...]
      while rest.count >= 16 &* count {
        var ids: [Identifier] = []
        for _ in 0..<count {
          if let id = Identifier(bytes: rest.prefix(16)) { ids.append(id) }
          rest = rest.dropFirst(16)
        }
        if ids.count == count { body(device, ids) }
      }
    }
  }
}

extension ContinuationJournal.Running {
  fileprivate var value: Value {
    var entries: [Value: Value] = [
      "id": .uuid(id), "offer": offer.value, "source": .string(source.text), "app": .string(appID?.string ?? ""),
      "boot": .string(boot), "fetch": .integer(Int64(clamping: fetchUntil.milliseconds)),
      "until": .integer(Int64(clamping: until.milliseconds)), "delivered": .bool(isDelivered),
    ]
    if let revision { entries["revision"] = .integer(Int64(clamping: revision)) }
    return .dictionary(entries)
  }

  fileprivate init?(_ value: Value) {
    guard case .dictionary(let entries) = value, let id = entries["id"]?.uuid,
      let offer = entries["offer"].flatMap({ Offer($0) }),
      let source = entries["source"]?.string.flatMap({ OfferSource(recorded: $0) }),
      let app = entries["app"]?.string, app.isEmpty || AppID(app) != nil, let boot = entries["boot"]?.string,
      let fetchUntil = entries["fetch"]?.integer.flatMap({ UInt64(exactly: $0) }),
      let until = entries["until"]?.integer.flatMap({ UInt64(exactly: $0) })
    else { return nil }
    self.init(
      id: id, offer: offer, source: source, appID: AppID(app), boot: boot,
      fetchUntil: Instant(milliseconds: fetchUntil),
      until: Instant(milliseconds: until), isDelivered: entries["delivered"]?.bool ?? true,
      revision: entries["revision"]?.integer.flatMap { UInt64(exactly: $0) })
  }
}

extension ContinuationJournal.Pending {
  fileprivate var value: Value { .array([.string(DeviceID.recorded(device)), .dictionary(notice.entries)]) }

  fileprivate init?(_ value: Value) {
    guard let pair = value.array, pair.count == 2, let name = pair[0].string, case .dictionary(let entries) = pair[1],
      let notice = ContinuedNotice(entries)
    else { return nil }
    let device = DeviceID(recorded: name)
    guard device != nil || name == DeviceID.here else { return nil }
    self.init(device: device, notice: notice)
  }
}
