/// What a daemon writes down of continuations, so that the next one goes on where it ended (semantics X9): those that
/// run here, those whose origin is still to be told, and those of our own activities that we were told of.
///
/// Pure, and bounded: in each list the oldest gives way. Devices are known by whatever text the owner gives them.
public struct ContinuationJournal: Equatable, Sendable {
  /// A continuation that runs on this device.
  public struct Running: Equatable, Sendable {
    public var id: Identifier
    public var offer: Offer
    /// Where it is fetched, in the owner's words.
    public var source: String
    /// The application that continues it.
    public var appID: AppID
    /// In which run of the machine the moments below are; they mean nothing in another.
    public var boot: String
    /// Until when the origin is waited for, and until when the application.
    public var fetchUntil: Instant
    public var until: Instant
    /// The application has the payload.
    public var isDelivered: Bool

    public init(
      id: Identifier, offer: Offer, source: String, appID: AppID, boot: String, fetchUntil: Instant, until: Instant,
      isDelivered: Bool = false
    ) {
      self.id = id
      self.offer = offer
      self.source = source
      self.appID = appID
      self.boot = boot
      self.fetchUntil = fetchUntil
      self.until = until
      self.isDelivered = isDelivered
    }
  }

  /// An activity of one device was continued on another.
  public struct Notice: Equatable, Sendable {
    public var continuation: Identifier
    public var activity: Identifier
    public var inBrowser: Bool

    public init(continuation: Identifier, activity: Identifier, inBrowser: Bool) {
      self.continuation = continuation
      self.activity = activity
      self.inBrowser = inBrowser
    }
  }

  /// A notice that its receiver has not acknowledged.
  public struct Untold: Equatable, Sendable {
    public var device: String
    public var notice: Notice
  }

  public private(set) var running: [Running] = []
  public private(set) var untold: [Untold] = []
  /// Notices of other devices that our applications have not heard yet.
  public private(set) var unheard: [Notice] = []
  /// The continuations of those that they have heard.
  public private(set) var heard: [Identifier] = []

  public init() {}

  // MARK: Running here

  /// Notes a continuation, or what has become of it.
  public mutating func note(_ continuation: Running) {
    if let index = running.firstIndex(where: { $0.id == continuation.id }) {
      running[index] = continuation
    } else {
      running.append(continuation)
      trim(&running, Limits.continuationsRecorded)
    }
  }

  /// It has its outcome.
  public mutating func end(_ continuation: Identifier) { running.removeAll { $0.id == continuation } }

  // MARK: Telling the origin

  /// The device is to be told, on every link until it acknowledges.
  public mutating func tell(_ device: String, _ notice: Notice) {
    guard !untold.contains(where: { $0.notice.continuation == notice.continuation }) else { return }
    untold.append(Untold(device: device, notice: notice))
    trim(&untold, Limits.continuationsUntold)
  }

  /// False where nobody waited for it.
  public mutating func acknowledged(_ continuation: Identifier, by device: String) -> Bool {
    let count = untold.count
    untold.removeAll { $0.device == device && $0.notice.continuation == continuation }
    return untold.count != count
  }

  /// The device is no longer paired.
  public mutating func forget(_ device: String) { untold.removeAll { $0.device == device } }

  // MARK: Being told

  /// A device says that an activity of ours was continued; false if it has said so before.
  public mutating func receive(_ notice: Notice) -> Bool {
    let isKnown =
      heard.contains(notice.continuation) || unheard.contains { $0.continuation == notice.continuation }
    guard !isKnown else { return false }
    unheard.append(notice)
    trim(&unheard, Limits.continuationsUntold)
    return true
  }

  /// The application has heard it.
  public mutating func hear(_ continuation: Identifier) {
    unheard.removeAll { $0.continuation == continuation }
    guard !heard.contains(continuation) else { return }
    heard.append(continuation)
    trim(&heard, Limits.continuationsRemembered)
  }

  private func trim<T>(_ list: inout [T], _ limit: Int) {
    if list.count > limit { list.removeFirst(list.count &- limit) }
  }
}

// MARK: The file

extension ContinuationJournal {
  private static let version: Int64 = 1

  public func encode() throws(SegueError) -> [UInt8] {
    try CBOR.encode([
      "version": .integer(Self.version), "running": .array(running.map { $0.value }),
      "untold": .array(untold.map { .array([.string($0.device), $0.notice.value]) }),
      "unheard": .array(unheard.map { $0.value }), "heard": .array(heard.map { .uuid($0) }),
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
      guard let pair = value.array, pair.count == 2, let device = pair[0].string, let notice = Notice(pair[1]) else {
        continue
      }
      journal.tell(device, notice)
    }
    for value in entries["unheard"]?.array ?? [] {
      if let notice = Notice(value) { _ = journal.receive(notice) }
    }
    for value in entries["heard"]?.array ?? [] {
      if let continuation = value.uuid { journal.hear(continuation) }
    }
    return journal
  }
}

extension ContinuationJournal.Running {
  fileprivate var value: Value {
    [
      "id": .uuid(id), "offer": offer.value, "source": .string(source), "app": .string(appID.string),
      "boot": .string(boot), "fetch": .integer(Int64(clamping: fetchUntil.milliseconds)),
      "until": .integer(Int64(clamping: until.milliseconds)), "delivered": .bool(isDelivered),
    ]
  }

  fileprivate init?(_ value: Value) {
    guard case .dictionary(let entries) = value, let id = entries["id"]?.uuid,
      let offer = entries["offer"].flatMap({ Offer($0) }), let source = entries["source"]?.string,
      let appID = entries["app"]?.string.flatMap({ AppID($0) }), let boot = entries["boot"]?.string,
      let fetchUntil = entries["fetch"]?.integer.flatMap({ UInt64(exactly: $0) }),
      let until = entries["until"]?.integer.flatMap({ UInt64(exactly: $0) })
    else { return nil }
    self.init(
      id: id, offer: offer, source: source, appID: appID, boot: boot, fetchUntil: Instant(milliseconds: fetchUntil),
      until: Instant(milliseconds: until), isDelivered: entries["delivered"]?.bool ?? true)
  }
}

extension ContinuationJournal.Notice {
  fileprivate var value: Value {
    ["continuation": .uuid(continuation), "activity": .uuid(activity), "browser": .bool(inBrowser)]
  }

  fileprivate init?(_ value: Value) {
    guard case .dictionary(let entries) = value, let continuation = entries["continuation"]?.uuid,
      let activity = entries["activity"]?.uuid
    else { return nil }
    self.init(continuation: continuation, activity: activity, inBrowser: entries["browser"]?.bool ?? false)
  }
}
