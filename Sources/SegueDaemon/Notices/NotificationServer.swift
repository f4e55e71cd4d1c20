import SegueBus
import SegueCore
import SegueEngine

/// The desktop's notification server (org.freedesktop.Notifications 1.2), which may be absent, appear later, be slow,
/// or end at any time. It keeps what is to be shown and what is, and brings the two together one call at a time.
final class NotificationServer {
  enum Event {
    case appeared
    case gone
    case notShown(Notices.Key)
    case closed(Notices.Key)
    case invoked(Notices.Key, Notice.Action, activationToken: String?)
  }

  /// The notification of one key.
  private struct Slot {
    var wanted: Notice?
    var shown: Notice?
    /// The server's number for it; 0: none.
    var id: UInt32 = 0
    var isCalling = false
    /// Comes with the signal before the action's.
    var activationToken: String?
  }

  private let bus: Connection
  private let report: (Event) -> Void
  private var slots: [Notices.Key: Slot] = [:]
  /// The capabilities of the present owner; nil: not known.
  private var capabilities: Set<String>?
  private var isAsking = false
  private var isOwned = false
  private var starts: ServerStarts
  /// Answers of an owner that has gone do not matter.
  private var epoch = 0
  private var owner: NameWatch?
  private var subscriptions: [SignalSubscription] = []

  private static let clicked = "default"

  init(_ bus: Connection, startTime: UInt64, report: @escaping (Event) -> Void) {
    self.bus = bus
    starts = ServerStarts(first: startTime)
    self.report = report
    listen("NotificationClosed") { [unowned self] _, key in
      slots[key] = nil
      report(.closed(key))
    }
    listen("ActivationToken") { [unowned self] values, key in
      let token = values.last?.asString.flatMap { $0.utf8.count <= Limits.nameLength ? $0 : nil }
      slots[key]?.activationToken = token
    }
    listen("ActionInvoked") { [unowned self] values, key in
      guard let name = values.last?.asString, let slot = slots[key], let shown = slot.shown,
        let action = name == Self.clicked ? shown.clicked : shown.actions.first(where: { $0.rawValue == name })
      else { return }
      report(.invoked(key, action, activationToken: slot.activationToken))
    }
    var isFirst = true
    owner = bus.watchOwner(of: DesktopNotifications.name) { [unowned self] in
      ownerChanged($0, isFirst: isFirst)
      isFirst = false
    }
  }

  /// With the bus, or with the daemon: nothing is reported any more. Failures may stay to be read.
  func close() {
    for slot in slots.values where slot.id != 0 && slot.shown?.kind != .failure {
      tell("CloseNotification", [.uint32(slot.id)])
    }
    owner?.cancel()
    for subscription in subscriptions { subscription.cancel() }
    subscriptions = []
    slots = [:]
    epoch += 1
  }

  func show(_ key: Notices.Key, _ notice: Notice) {
    slots[key, default: Slot()].wanted = notice
    pump(key)
  }

  func close(_ key: Notices.Key) {
    guard slots[key] != nil else { return }
    slots[key]?.wanted = nil
    pump(key)
  }

  // MARK: The owner

  private func ownerChanged(_ owner: BusName?, isFirst: Bool) {
    isOwned = owner != nil
    // The first news of an owner may come after it was started for the first notice.
    if !isFirst {
      epoch += 1
      isAsking = false
      capabilities = nil
      let lost = slots.filter { $0.value.isCalling || $0.value.id != 0 }
      for key in lost.keys { slots[key] = nil }
      if !lost.isEmpty || owner == nil { report(.gone) }
    }
    guard owner != nil else { return }
    report(.appeared)
    for key in slots.keys { pump(key) }
  }

  private func askCapabilities() {
    guard !isAsking else { return }
    guard isOwned || starts.start(now: .now) else { return notShown() }
    isAsking = true
    let asked = epoch
    // Starts a server that the bus can start; where there is none, nothing of the activity has crossed the bus.
    bus.call(call("GetCapabilities")) { [weak self] result in
      guard let self, asked == epoch else { return }
      isAsking = false
      guard case .success(let reply) = result, let names = (try? reply.arguments())?.first?.asStrings else {
        return notShown()
      }
      capabilities = Set(names)
      for key in slots.keys { pump(key) }
    }
  }

  /// There is no server for what waits.
  private func notShown() {
    let waiting = slots.filter { $0.value.id == 0 }.keys
    for key in waiting { slots[key] = nil }
    for key in waiting { report(.notShown(key)) }
  }

  // MARK: One notice

  /// Makes the server show what is wanted, if it does not.
  private func pump(_ key: Notices.Key) {
    guard let slot = slots[key], !slot.isCalling else { return }
    guard let wanted = slot.wanted else {
      slots[key] = nil
      if slot.id != 0 { tell("CloseNotification", [.uint32(slot.id)]) }
      return
    }
    guard wanted != slot.shown else { return }
    guard let capabilities else { return askCapabilities() }
    let message = call("Notify")
    do throws(SegueError) {
      try message.append(arguments(wanted, replacing: slot.id, capabilities))
    } catch {
      slots[key] = nil
      return report(.notShown(key))
    }
    slots[key]?.isCalling = true
    let asked = epoch
    bus.call(message) { [weak self] result in
      guard let self, asked == epoch, slots[key] != nil else { return }
      slots[key]?.isCalling = false
      guard case .success(let reply) = result, let id = (try? reply.arguments())?.first?.asUInt32, id != 0 else {
        slots[key] = nil
        return report(.notShown(key))
      }
      starts.worked()
      slots[key]?.shown = wanted
      slots[key]?.id = id
      pump(key)
    }
  }

  private func arguments(_ notice: Notice, replacing id: UInt32, _ capabilities: Set<String>) -> [BusValue] {
    var body = notice.lines
    if capabilities.contains("body-markup") { body = body.map(\.asMarkup) }
    var summary = notice.summary
    if !capabilities.contains("body"), !notice.lines.isEmpty { summary += ": " + notice.lines.joined(separator: " - ") }
    var hints: BusDictionary = [
      "urgency": .byte(notice.mayInterrupt ? 1 : 0),
      "category": .string("x-segue.\(notice.kind)"),
      // A progress notice is of no interest later.
      "transient": .bool(notice.kind == .progress), "suppress-sound": .bool(notice.kind != .failure),
    ]
    if let id = notice.application.appID { hints["desktop-entry"] = .string(id.string) }
    // Progress is taken away when it is over, not when the server thinks so.
    let expires: Int32 = notice.kind == .progress ? 0 : -1
    return [
      .string(notice.application.name), .uint32(id), .string(Self.icon(notice.application.icon)), .string(summary),
      .string(body.joined(separator: "\n")), .strings(capabilities.contains("actions") ? Self.actions(of: notice) : []),
      .dictionary(hints),
      .int32(expires),
    ]
  }

  /// Names and labels of the actions. The click's action has a button too: some servers show no button for a click's
  /// action, and some offer buttons alone. The click itself has no label, as GLib's has none: Xfce's server would show a
  /// second button.
  private static func actions(of notice: Notice) -> [String] {
    let buttons = notice.actions.flatMap { [$0.rawValue, label(of: $0)] }
    return (notice.clicked == nil ? [] : [clicked, ""]) + buttons
  }

  private static func label(of action: Notice.Action) -> String {
    switch action {
    case .continue: "Continue"
    case .accept: "Pair"
    case .decline: "Do not pair"
    case .read: "Read"
    }
  }

  /// The specification wants a name or a file's URL.
  private static func icon(_ icon: String?) -> String {
    guard let icon else { return "" }
    return icon.begins(with: "/") ? "file://" + Markup.percentEncode(path: icon) : icon
  }

  // MARK: The bus

  private func listen(_ member: StaticString, _ body: @escaping ([BusValue], Notices.Key) -> Void) {
    let subscription = bus.addSignalHandler(
      sender: DesktopNotifications.name, path: DesktopNotifications.path, interface: DesktopNotifications.interface,
      member: MemberName(constant: member)
    ) { [unowned self] message in
      guard let values = try? message.arguments(), let id = values.first?.asUInt32,
        let key = slots.first(where: { $0.value.id == id && id != 0 })?.key
      else { return }
      body(values, key)
    }
    subscriptions.append(subscription)
  }

  private func call(_ member: StaticString) -> Message {
    DesktopNotifications.call(MemberName(constant: member))
  }

  private func tell(_ member: StaticString, _ values: [BusValue]) {
    let message = call(member)
    message.isNoAutoStart = true
    // The answer does not matter. A connection that takes no messages is about to end, and the notices with it.
    try? message.append(values)
    try? bus.send(message)
  }
}

/// How text stands in a notification.
enum Markup {
  /// A path as it stands in a URL.
  static func percentEncode(path: String) -> String {
    var encoded = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += byte < 16 ? "%0" + digits : "%" + digits
      }
    }
    return encoded
  }
}
