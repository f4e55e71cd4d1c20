import SegueCore

/// A handler of certain signals. The end of its connection cancels it. Loop thread.
public final class SignalSubscription {
  private let path: String?
  private let interface: String?
  private let member: String?
  private let argument: String?
  private let namespace: String?
  private let sender: BusName?
  /// The owner of a sender's well-known name, since signals come with the unique one.
  private var owner: NameWatch?
  private var connection: Connection?
  private var body: ((Message) -> Void)?

  init(
    connection: Connection, sender: BusName?, path: ObjectPath?, interface: InterfaceName?, member: MemberName?,
    argument: BusName? = nil, namespace: BusName? = nil, body: @escaping (Message) -> Void
  ) {
    self.connection = connection
    self.sender = sender
    self.path = path?.string
    self.interface = interface?.string
    self.member = member?.string
    self.argument = argument?.string
    self.namespace = namespace?.string
    self.body = body
  }

  /// Whether it was not cancelled, by itself or with its connection.
  public var isActive: Bool { body != nil }

  /// Ends the subscription: the handler is not called (any more).
  public func cancel() {
    guard let connection else { return }
    connection.subscriptions.removeAll { $0 === self }
    connection.tellBus("RemoveMatch", rule)
    retire()
  }

  func start() {
    guard let connection else { return }
    connection.subscriptions.append(self)
    guard connection.isBus else { return }
    // The owner is asked for first: the bus answers in order, so that it is known before the first signal.
    if let sender, !sender.isUnique, sender.string != Bus.name { owner = connection.watchOwner(of: sender) { _ in } }
    connection.tellBus("AddMatch", rule)
  }

  func retire() {
    owner?.cancel()
    owner = nil
    body = nil
    connection = nil
  }

  func deliver(_ message: Message) {
    guard let body, path == nil || message.path == path, interface == nil || message.interface == interface,
      member == nil || message.member == member
    else { return }
    if let sender, connection?.isBus == true {
      let expected = owner == nil ? sender.string : owner?.owner?.string
      guard let expected, message.sender == expected else { return }
    }
    body(message)
  }

  /// The match rule, made of validated names, which need no quoting.
  private var rule: String {
    var rule = "type='signal'"
    if let sender { rule += ",sender='" + sender.string + "'" }
    if let path { rule += ",path='" + path + "'" }
    if let interface { rule += ",interface='" + interface + "'" }
    if let member { rule += ",member='" + member + "'" }
    if let argument { rule += ",arg0='" + argument + "'" }
    if let namespace { rule += ",arg0namespace='" + namespace + "'" }
    return rule
  }
}

extension Connection {
  /// Calls `body` for every signal that matches each argument that is not nil. On a bus it asks the bus for them;
  /// `sender` counts on a bus only, and may be a well-known name. On a bus, `namespace` asks for signals whose first
  /// argument is that name or one below it; others may come all the same, for other handlers. Kept until cancelled. Loop thread.
  @discardableResult public func addSignalHandler(
    sender: BusName? = nil, path: ObjectPath? = nil, interface: InterfaceName? = nil, member: MemberName? = nil,
    namespace: BusName? = nil, _ body: @escaping (Message) -> Void
  ) -> SignalSubscription {
    loop.checkThread()
    let subscription = SignalSubscription(
      connection: self, sender: sender, path: path, interface: interface, member: member, namespace: namespace,
      body: body)
    if isOpen { subscription.start() } else { subscription.retire() }
    return subscription
  }

  func deliver(signal message: Message) {
    for subscription in subscriptions { subscription.deliver(message) }
  }

  /// Calls a method of the bus without wanting a reply.
  func tellBus(_ member: StaticString, _ argument: String) {
    guard isBus, isOpen else { return }
    let message = Bus.call(member)
    message.isNoReply = true
    // Only a connection that is about to end refuses the message.
    do throws(SegueError) {
      try message.append([.string(argument)])
      try send(message)
    } catch {}
  }
}
