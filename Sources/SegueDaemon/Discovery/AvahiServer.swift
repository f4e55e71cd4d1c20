import SegueBus
import SegueCore

/// One run of avahi-daemon on the system bus, by its interface of version 2.2 and later (Avahi 0.6.22). Calls go to its
/// unique name: no call starts it, and no other process answers. Loop thread.
final class AvahiServer {
  /// Why it did not do what it was asked.
  struct Refusal: Error {
    /// The name of the error on the bus; nil where there was no answer.
    let name: String?
    let error: SegueError

    var isCollision: Bool { name == "org.freedesktop.Avahi.CollisionError" }
    var isNotPermitted: Bool { name == "org.freedesktop.Avahi.NotPermittedError" }
  }

  enum Interface {
    case server, entryGroup, serviceBrowser

    fileprivate var name: InterfaceName {
      switch self {
      case .server: InterfaceName(constant: "org.freedesktop.Avahi.Server")
      case .entryGroup: InterfaceName(constant: "org.freedesktop.Avahi.EntryGroup")
      case .serviceBrowser: InterfaceName(constant: "org.freedesktop.Avahi.ServiceBrowser")
      }
    }
  }

  static let name = BusName(constant: "org.freedesktop.Avahi")
  /// The server's own object.
  static let root = ObjectPath(constant: "/")
  static let domain = "local"
  private static let malformed = SegueError(.protocolViolation, "Avahi's answer is malformed.")

  private let bus: Connection
  private let owner: BusName

  init(_ bus: Connection, owner: BusName) {
    self.bus = bus
    self.owner = owner
  }

  /// `reply` is called once, in a dispatch, unless what is returned is cancelled.
  @discardableResult func call(
    _ member: StaticString, of interface: Interface, at path: ObjectPath = root, _ values: [BusValue] = [],
    timeout: UInt64 = Limits.busTime, reply: @escaping (Result<[BusValue], Refusal>) -> Void
  ) -> PendingReply? {
    let message = message(member, of: interface, at: path)
    do throws(SegueError) { try message.append(values) } catch {
      bus.loop.later { reply(.failure(Refusal(name: nil, error: error))) }
      return nil
    }
    var call: PendingReply?
    call = bus.call(message, timeout: timeout) { result in
      let name = call?.errorName
      call = nil
      do throws(SegueError) {
        reply(.success(try result.get().arguments()))
      } catch {
        reply(.failure(Refusal(name: name, error: error.about("Avahi"))))
      }
    }
    return call
  }

  /// As `call`, for an object that Avahi makes for this caller.
  func make(
    _ member: StaticString, _ values: [BusValue] = [], reply: @escaping (Result<ObjectPath, Refusal>) -> Void
  ) {
    call(member, of: .server, values) { result in
      reply(
        result.flatMap { values in
          guard let path = values.first?.asObjectPath else {
            return .failure(Refusal(name: nil, error: Self.malformed))
          }
          return .success(path)
        })
    }
  }

  /// Ends such an object.
  func free(_ path: ObjectPath, of interface: Interface) {
    let message = message("Free", of: interface, at: path)
    message.isNoReply = true
    // A connection that takes no messages is about to end, and the object with it.
    try? bus.send(message)
  }

  /// Hears a signal of all objects with this interface. A malformed one is left out.
  func listen(
    _ member: StaticString, of interface: Interface, _ body: @escaping (_ path: String, [BusValue]) -> Void
  ) -> SignalSubscription {
    bus.addSignalHandler(sender: owner, interface: interface.name, member: MemberName(constant: member)) { message in
      guard let path = message.path, let values = try? message.arguments() else { return }
      body(path, values)
    }
  }

  private func message(_ member: StaticString, of interface: Interface, at path: ObjectPath) -> Message {
    Message.call(destination: owner, path: path, interface: interface.name, member: MemberName(constant: member))
  }
}
