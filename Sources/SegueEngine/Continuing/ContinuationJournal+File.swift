import SegueCore

// The record of continuations as it stands in its file.

extension ContinuationJournal {
  public func encode() throws(SegueError) -> [UInt8] {
    var encoder = JournalEncoder()
    return try encoder.encode(self)
  }

  /// Throws `invalidArgument` for a file that cannot be understood as a whole. An entry that cannot is left out.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> ContinuationJournal {
    let malformed = SegueError(.invalidArgument, "The record of continuations cannot be understood.")
    var fields = try WireFields(reading: bytes, or: malformed)
    let parts = try Parts(&fields, nil)
    var journal = ContinuationJournal()
    for continuation in parts.running { journal.note(continuation) }
    for untold in parts.untold {
      if let device = untold.device { journal.tell(device, untold.notice) }
    }
    let apps = parts.apps.map { AppID.of(field: $0) }
    unpack(parts.given, count: 3) { device, ids in
      guard let stage = Given.Stage(rawValue: UInt8(truncatingIfNeeded: ids[2].high)),
        let number = Int(exactly: ids[2].low >> 8), number <= apps.count
      else { return }
      let appID = number > 0 ? apps[number - 1] : nil
      journal.give(
        Given(
          device: device, continuation: ids[0], activity: ids[1], appID: appID, stage: stage,
          revision: ids[2].high >> 8, uses: Int(ids[2].low & 0xff)))
    }
    unpack(parts.taken, count: 2) { device, ids in
      journal.take(ids[0], of: device, revision: ids[1].low)
    }
    return journal
  }

  /// The whole file.
  struct Parts {
    var running: [Running]
    var untold: [Pending]
    var apps: [Value]
    var given: [Value]
    var taken: [Value]
  }

  /// `count`: how many ids make an entry.
  private static func unpack(_ values: [Value], count: Int, _ body: (DeviceID?, [Identifier]) -> Void) {
    for value in values {
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

extension ContinuationJournal.Parts: WireMessage {
  private static let version: UInt64 = 1

  init(_ fields: inout WireFields, _ own: Self?) throws(SegueError) {
    _ = try fields("version", Self.version) { $0 == Self.version }
    running = try fields.list("running", own?.running, or: [])
    untold = try fields.list("untold", own?.untold, or: [])
    apps = try fields.list("apps", own?.apps, or: [])
    given = try fields.list("given", own?.given, or: [])
    taken = try fields.list("taken", own?.taken, or: [])
  }
}

extension ContinuationJournal.Running: WireMessage {
  public init(_ fields: inout WireFields, _ own: Self?) throws(SegueError) {
    self.init(
      id: try fields("id", own?.id), offer: try fields("offer", own?.offer), source: try fields("source", own?.source),
      // Empty where a browser opens its page.
      appID: AppID(try fields("app", own.map { $0.appID?.string ?? "" }) { $0.isEmpty || AppID($0) != nil }),
      boot: try fields("boot", own?.boot), fetchUntil: try fields("fetch", own?.fetchUntil),
      until: try fields("until", own?.until), isDelivered: fields("delivered", own?.isDelivered, or: true),
      revision: fields.optional("revision", own?.revision))
  }
}

extension OfferSource: WireField {
  public var field: Value { .string(text) }
  public static func of(field: Value) -> OfferSource? { field.string.flatMap { OfferSource(recorded: $0) } }
}

extension ContinuationJournal.Pending: WireField {
  public var field: Value { [.string(DeviceID.recorded(device)), notice.field] }

  public static func of(field: Value) -> Self? {
    guard let pair = field.array, pair.count == 2, let name = pair[0].string,
      let notice = ContinuedNotice.of(field: pair[1])
    else { return nil }
    let device = DeviceID(recorded: name)
    guard device != nil || name == DeviceID.here else { return nil }
    return Self(device: device, notice: notice)
  }
}
