import SegueCore

/// Encodes one journal after the other. A continuation writes its journal several times and mostly changes one of its
/// lists, so the encoder keeps the fields of the long ones.
public struct JournalEncoder {
  private var given: (entries: [ContinuationJournal.Given], apps: [Value], fields: [Value]) = ([], [], [])
  private var taken: (entries: [ContinuationJournal.Taken], fields: [Value]) = ([], [])

  public init() {}

  /// The journal's file. Throws `limitExceeded` if it would be too long.
  public mutating func encode(_ journal: ContinuationJournal) throws(SegueError) -> [UInt8] {
    if journal.given != given.entries { pack(journal.given) }
    if journal.taken != taken.entries { pack(journal.taken) }
    let parts = ContinuationJournal.Parts(
      running: journal.running, untold: journal.untold, apps: given.apps, given: given.fields, taken: taken.fields)
    return try CBOR.encode(parts.field)
  }

  private mutating func pack(_ entries: [ContinuationJournal.Given]) {
    // Each application's id stands once in the file.
    var apps: [AppID] = []
    for case let app? in entries.map(\.appID) where !apps.contains(app) { apps.append(app) }
    apps.sort { $0.string < $1.string }
    let fields = Self.packed(entries, { $0.device }) { entry, bytes in
      // 0 stands for none.
      let app = entry.appID.flatMap { apps.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      let rest = Identifier(
        high: entry.revision << 8 | UInt64(entry.stage.rawValue), low: UInt64(app << 8 | entry.uses))
      entry.continuation.append(to: &bytes)
      entry.activity.append(to: &bytes)
      rest.append(to: &bytes)
    }
    given = (entries, apps.map { $0.field }, fields)
  }

  private mutating func pack(_ entries: [ContinuationJournal.Taken]) {
    let fields = Self.packed(entries, { $0.device }) { entry, bytes in
      entry.activity.append(to: &bytes)
      Identifier(high: 0, low: entry.revision).append(to: &bytes)
    }
    taken = (entries, fields)
  }

  /// One string of bytes for each device's entries: there are many entries, and they are written at each change.
  private static func packed<T>(
    _ list: [T], _ device: (T) -> DeviceID?, _ pack: (T, inout [UInt8]) -> Void
  ) -> [Value] {
    var packed: [(device: DeviceID?, bytes: [UInt8])] = []
    for entry in list {
      let device = device(entry)
      // Nearly all entries follow one of the same device.
      if let last = packed.last, last.device == device {
        pack(entry, &packed[packed.endIndex - 1].bytes)
      } else if let known = packed.firstIndex(where: { $0.device == device }) {
        pack(entry, &packed[known].bytes)
      } else {
        packed.append((device, []))
        pack(entry, &packed[packed.endIndex - 1].bytes)
      }
    }
    return packed.map { [.string(DeviceID.recorded($0.device)), .data($0.bytes)] }
  }
}
