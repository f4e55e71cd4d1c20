import SegueBus
import SegueControl
import SegueCore
import SegueEngine

/// Phones, which other programs are paired with: KDE Connect, GSConnect, Valent. They get the link of a page, one way.
/// A program that does not run is not started for that, and has no phones.
final class PhoneService {
  private let runner: EngineRunner
  private let replies: Replies
  private let bus: () -> Connection?

  private static let managedObjects = InterfaceName(constant: "org.freedesktop.DBus.ObjectManager")
  private static let actions = InterfaceName(constant: "org.gtk.Actions")

  init(runner: EngineRunner, replies: Replies, bus: @escaping () -> Connection?) {
    (self.runner, self.replies, self.bus) = (runner, replies, bus)
  }

  /// `done` gets the phones in reach, sorted by their names.
  func list(_ done: @escaping ([PhoneRow]) -> Void) {
    var phones: [PhoneRow] = []
    var left = PhoneProgram.allCases.count
    for program in PhoneProgram.allCases {
      find(program) { found in
        phones += found.map(\.phone)
        left -= 1
        if left == 0 { done(PhoneList.sorted(phones)) }
      }
    }
  }

  /// Sends the link of an activity's page as its application says it now; nil: of the newest one that has a page. `done`
  /// gets why that failed.
  func sendPage(of activity: Identifier?, to phone: PhoneID, _ done: @escaping (SegueError?) -> Void) {
    let request = replies.expect { [weak self] reply, _ in
      switch reply {
      case .page(let url): self?.send(url, to: phone, done)
      case .failed(let error): done(error)
      default: done(nil)
      }
    }
    runner.handle(.control(request, .page(activity)))
  }

  private func send(_ url: WebURL, to phone: PhoneID, _ done: @escaping (SegueError?) -> Void) {
    find(phone.program) { [self] found in
      guard let target = found.first(where: { $0.phone.id.isSame(as: phone.string) }) else {
        return done(
          SegueError(
            .notFound, "\(phone.program.name) reaches no such phone.", advice: "List them with: segue send --list"))
      }
      let name = DisplayText.quoted(target.phone.name)
      ask(Self.sharing(url, phone, target.path)) { result in
        guard case .failure(let error) = result else { return done(nil) }
        done(
          SegueError(
            .handoffFailed, "\(phone.program.name) has not sent the link to \(name): \(error.message)",
            advice: "See whether it may share links with \(phone.program.name)."))
      }
    }
  }

  // MARK: The programs

  /// `done` gets the phones with the paths of their objects, which KDE Connect makes of the ids.
  private func find(_ program: PhoneProgram, _ done: @escaping ([(phone: PhoneRow, path: ObjectPath)]) -> Void) {
    switch program {
    case .kdeConnect:
      let call = Message.call(
        destination: Self.name(program), path: ObjectPath(constant: "/modules/kdeconnect"),
        interface: InterfaceName(constant: "org.kde.kdeconnect.daemon"), member: MemberName(constant: "deviceNames"))
      // Only those in reach, only paired ones.
      try? call.append([.bool(true), .bool(true)])
      ask(call) { result in
        let rows = PhoneList.names((try? result.get().arguments())?.first)
        done(
          rows.compactMap { row in
            guard let id = PhoneID(row.id),
              let path = ObjectPath("/modules/kdeconnect/devices/\(id.phone)/share")
            else { return nil }
            return (row, path)
          })
      }
    case .gsConnect, .valent:
      let call = Message.call(
        destination: Self.name(program), path: Self.root(program), interface: Self.managedObjects,
        member: MemberName(constant: "GetManagedObjects"))
      ask(call) { result in
        let answer = (try? result.get().arguments())?.first
        done(PhoneList.objects(answer, of: program, interface: Self.name(program).string + ".Device"))
      }
    }
  }

  private static func sharing(_ url: WebURL, _ phone: PhoneID, _ path: ObjectPath) -> Message {
    let call: Message
    switch phone.program {
    case .kdeConnect:
      call = Message.call(
        destination: name(.kdeConnect), path: path,
        interface: InterfaceName(constant: "org.kde.kdeconnect.device.share"), member: MemberName(constant: "shareUrl"))
      try? call.append([.string(url.string)])
    case .gsConnect, .valent:
      call = Message.call(
        destination: name(phone.program), path: path, interface: actions, member: MemberName(constant: "Activate"))
      try? call.append([
        .string(phone.program == .valent ? "share.uri" : "shareUri"),
        .array(elementSignature: "v", [.variant(.string(url.string))]), .dictionary([:]),
      ])
    }
    return call
  }

  private static func name(_ program: PhoneProgram) -> BusName {
    switch program {
    case .kdeConnect: BusName(constant: "org.kde.kdeconnect")
    case .gsConnect: BusName(constant: "org.gnome.Shell.Extensions.GSConnect")
    case .valent: BusName(constant: "ca.andyholmes.Valent")
    }
  }

  private static func root(_ program: PhoneProgram) -> ObjectPath {
    program == .valent
      ? ObjectPath(constant: "/ca/andyholmes/Valent") : ObjectPath(constant: "/org/gnome/Shell/Extensions/GSConnect")
  }

  private func ask(_ call: Message, _ done: @escaping (Result<Message, SegueError>) -> Void) {
    guard let bus = bus() else { return done(.failure(SegueError(.connectionUnavailable, "The session bus is gone."))) }
    call.isNoAutoStart = true
    bus.call(call, timeout: Limits.phoneTime, reply: done)
  }
}
