import SegueCore

/// The messages from the extension; docs/browser-protocol.md.
enum FromBrowser: Equatable {
  case hello(version: Int, browser: String)
  /// `continuation`: of the `open` whose tab it is.
  case page(key: String, url: String, title: String, place: Place?, continuation: Int?)
  case moved(key: String)
  case left(key: String)
  case closed(key: String)
  case place(request: Int, Place?)
  case opened(continuation: Int)
  case failed(continuation: Int, reason: String)
  case list
  case unlist
  case `continue`(device: String, activity: String)
  /// The user wants to send the page of this tab to that device.
  case send(key: String, device: String)
  /// The user has followed a link that an application may open.
  case follow(request: Int, url: String)

  /// The reason why a message could not be decoded.
  struct Failure: Error, Equatable {
    /// Its type; empty where it has none.
    var of = ""
    let reason: String
  }

  init(_ bytes: [UInt8]) throws(Failure) {
    guard let json = JSON(bytes) else { throw Failure(reason: "The message is not JSON.") }
    guard case .object(let members) = json, let type = members["type"]?.string else {
      throw Failure(reason: "The message is not an object with a member \"type\".")
    }
    try self.init(Members(type: type, members: members))
  }

  private init(_ members: Members) throws(Failure) {
    switch members.type {
    case "hello": self = .hello(version: try members.count("version"), browser: try members.string("browser"))
    case "page":
      self = .page(
        key: try members.key(), url: try members.string("url"), title: try members.string("title"),
        place: try members.place(), continuation: try members.countIfAny("continuation"))
    case "moved": self = .moved(key: try members.key())
    case "left": self = .left(key: try members.key())
    case "closed": self = .closed(key: try members.key())
    case "place": self = .place(request: try members.count("request"), try members.place())
    case "opened": self = .opened(continuation: try members.count("continuation"))
    case "failed":
      self = .failed(continuation: try members.count("continuation"), reason: try members.string("reason"))
    case "list": self = .list
    case "unlist": self = .unlist
    case "continue": self = .continue(device: try members.string("device"), activity: try members.string("activity"))
    case "send": self = .send(key: try members.key(), device: try members.string("device"))
    case "follow": self = .follow(request: try members.count("request"), url: try members.string("url"))
    default: throw Failure(of: DisplayText.clean(members.type), reason: "There is no message of this type.")
    }
  }

  var type: String {
    switch self {
    case .hello: "hello"
    case .page: "page"
    case .moved: "moved"
    case .left: "left"
    case .closed: "closed"
    case .place: "place"
    case .opened: "opened"
    case .failed: "failed"
    case .list: "list"
    case .unlist: "unlist"
    case .continue: "continue"
    case .send: "send"
    case .follow: "follow"
    }
  }
}

/// The members of a message, each of the type that it must have. Others are ignored.
private struct Members {
  let type: String
  let members: TextMap<JSON>

  private func take<T>(_ name: String, _ what: String, _ value: (JSON) -> T?) throws(FromBrowser.Failure) -> T {
    guard let taken = members[name].flatMap(value) else {
      throw FromBrowser.Failure(of: type, reason: "The member \"\(name)\" is not \(what).")
    }
    return taken
  }

  func string(_ name: String) throws(FromBrowser.Failure) -> String { try take(name, "a string") { $0.string } }

  func count(_ name: String) throws(FromBrowser.Failure) -> Int { try take(name, "a whole number") { $0.count } }

  func countIfAny(_ name: String) throws(FromBrowser.Failure) -> Int? { members[name] == nil ? nil : try count(name) }

  /// A tab's name.
  func key() throws(FromBrowser.Failure) -> String {
    try take("key", "a string of 1 to \(Limits.browserKey) bytes") { value in
      value.string.flatMap { (1...Limits.browserKey).contains($0.utf8.count) ? $0 : nil }
    }
  }

  func place() throws(FromBrowser.Failure) -> Place? {
    guard members["place"] != nil else { return nil }
    let what =
      "an object of numbers \"x\", \"y\" and \"below\" (0 or more), \"fraction\" from 0 to 1, and a string \"text\""
    let place: Place = try take("place", what) { if case .object(let members) = $0 { Place(members) } else { nil } }
    return place
  }
}

/// The messages to the extension.
enum ToBrowser: Equatable {
  case ready(device: String?, reason: String?)
  case `where`(request: Int, key: String)
  case open(continuation: Int, url: String, title: String, place: Place?)
  case offers([BrowserOffer])
  case continued(device: String, activity: String, reason: String?)
  /// The devices to which a page can be sent now.
  case receivers([BrowserReceiver])
  /// The page was sent to the device; or the reason why not.
  case sent(device: String, reason: String?)
  case taken(key: String)
  /// The hosts whose links applications open: names, or `*.` and a name for all names below it.
  case links([String])
  /// Whether an application opens the link; otherwise the browser goes there.
  case followed(request: Int, isTaken: Bool)
  case error(FromBrowser.Failure)

  static let version = 1

  var json: JSON {
    var members: TextMap<JSON> = [:]
    switch self {
    case .ready(let device, let reason):
      members = ["type": .string("ready"), "version": .number(Double(Self.version))]
      members["device"] = device.map { .string($0) }
      members["reason"] = reason.map { .string($0) }
    case .where(let request, let key):
      members = ["type": .string("where"), "request": .number(Double(request)), "key": .string(key)]
    case .open(let continuation, let url, let title, let place):
      members = [
        "type": .string("open"), "continuation": .number(Double(continuation)), "url": .string(url),
        "title": .string(title),
      ]
      members["place"] = place?.json
    case .offers(let offers):
      members = ["type": .string("offers"), "offers": .array(offers.map { $0.json })]
    case .continued(let device, let activity, let reason):
      members = ["type": .string("continued"), "device": .string(device), "activity": .string(activity)]
      members["reason"] = reason.map { .string($0) }
    case .receivers(let receivers):
      members = ["type": .string("receivers"), "receivers": .array(receivers.map { $0.json })]
    case .sent(let device, let reason):
      members = ["type": .string("sent"), "device": .string(device)]
      members["reason"] = reason.map { .string($0) }
    case .taken(let key): members = ["type": .string("taken"), "key": .string(key)]
    case .links(let hosts): members = ["type": .string("links"), "hosts": .array(hosts.map { .string($0) })]
    case .followed(let request, let isTaken):
      members = ["type": .string("followed"), "request": .number(Double(request)), "taken": .bool(isTaken)]
    case .error(let failure):
      members = ["type": .string("error"), "of": .string(failure.of), "reason": .string(failure.reason)]
    }
    return .object(members)
  }
}
