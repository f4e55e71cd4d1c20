// A plugin from the template in Swift with a property of every kind, and what is beyond properties: scripts/test-plugins.

let plugin = Plugin(name: "Kinds", version: "2.1", objects: [.of(Sure.self), .of(Maybe.self)])

/// Values that are always there.
final class Sure: PluginObject {
  static var id: StaticString { "sure" }
  static var name: StaticString { "Values that are there" }
  static var properties: [Property<Sure>] {
    [
      .bool("sure.bool", default: true, get: { $0.bool }, set: { $0.bool = $1 }),
      .integer("sure.integer", required: true, get: { $0.integer }, set: { $0.integer = $1 }),
      .number("sure.number", default: -0.5, get: { $0.number }, set: { $0.number = $1 }),
      .date("sure.date", get: { $0.date }, set: { $0.date = $1 }),
      .text("sure.text", default: "a text", get: { $0.text }, set: { $0.text = $1 }),
      .url("sure.url", get: { $0.url }, set: { $0.url = $1 }),
      .data("sure.data", scope: .thisDevice, get: { $0.data }, set: { $0.data = $1 }),
    ] + more
  }

  private var bool = false
  private var integer = 0
  private var number = 0.0
  private var date = 0.0
  private var text = ""
  private var url = "https://example.org/"
  private var data: [UInt8] = []

  init(host: Host) {}

  /// More than there are functions in C for.
  private static var more: [Property<Sure>] {
    #if TOO_MANY
      (0..<40).map { _ in .bool("sure.more", get: { $0.bool }, set: { $0.bool = $1 }) }
    #else
      []
    #endif
  }
}

/// Values that may be absent, and entries without a property.
final class Maybe: PluginObject {
  static var id: StaticString { "maybe" }
  static var name: StaticString { "Values that may be absent" }
  static var properties: [Property<Maybe>] {
    [
      .optionalBool("maybe.bool", get: { $0.bool }, set: { $0.bool = $1 }),
      .optionalInteger("maybe.integer", get: { $0.integer }, set: { $0.integer = $1 }),
      .optionalNumber("maybe.number", get: { $0.number }, set: { $0.number = $1 }),
      .optionalDate("maybe.date", get: { $0.date }, set: { $0.date = $1 }),
      .optionalText("maybe.text", get: { $0.text }, set: { $0.text = $1 }),
      .optionalURL("maybe.url", get: { $0.url }, set: { $0.url = $1 }),
      .optionalData("maybe.data", get: { $0.data }, set: { $0.data = $1 }),
    ]
  }

  private let host: Host
  private var bool: Bool?
  private var integer: Int?
  private var number: Double?
  private var date: Double?
  private var text: String?
  private var url: String?
  private var data: [UInt8]?
  /// How often the host was asked.
  private var saves = 0

  init(host: Host) { self.host = host }

  private static let notes: [(String, Entry)] = [
    ("maybe.note-bool", .bool(true)), ("maybe.note-integer", .integer(-3)), ("maybe.note-number", .number(2.5)),
    ("maybe.note-text", .text("e\u{301}")), ("maybe.note-data", .data([0, 255])),
  ]

  func save(to activity: Activity) throws(Failure) {
    saves += 1
    for (key, entry) in Self.notes { try activity.add(key, entry) }
    if let url { try activity.setWebpageURL("https://example.org/\(url.utf8.count)") }
  }

  func restore(from activity: Activity) throws(Failure) {
    for (key, entry) in Self.notes {
      guard let found = try activity.entry(key) else { continue }
      guard isSame(found, entry) else { throw .malformed }
    }
    guard try activity.entry("maybe.nowhere") == nil else { throw .malformed }
    host.log("restored after \(saves) saves")
    host.needsSave()
  }

  private func isSame(_ one: Entry, _ other: Entry) -> Bool {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.text(let one), .text(let other)): one == other
    case (.data(let one), .data(let other)): one == other
    default: false
    }
  }
}
