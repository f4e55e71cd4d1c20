import SegueBus
import SegueControl
import SegueCore
import SegueEngine

/// The surfaces of the desktop that show what can be continued here and let the user choose: GNOME's overview, KRunner,
/// and the panel. They ask over the session bus, which any process of the user can watch; so titles cross it only
/// where somebody searches, and to a panel that shows them.
final class SurfaceService {
  /// Where an application has no icon.
  static let icon = "org.segue.Segue"

  /// A process that searches.
  private struct Searcher {
    var allowance = Allowance(burst: Limits.searchBurst, interval: Limits.searchInterval)
    /// By which the desktop lets the window of what is chosen next come to the front.
    var activationToken: String?
  }

  private let runner: EngineRunner
  private let phones: PhoneService
  private let identify: (Invocation, @escaping (CallerIdentity.Verdict) -> Void) -> Void
  private var searchers: [BusName: Searcher] = [:]
  private var bus: Connection?
  private var panel: PanelItem?

  /// `identify` finds out who called over the session bus.
  init(
    runner: EngineRunner, phones: PhoneService,
    identify: @escaping (Invocation, @escaping (CallerIdentity.Verdict) -> Void) -> Void
  ) {
    self.runner = runner
    self.phones = phones
    self.identify = identify
  }

  /// The bus is there.
  func open(_ bus: Connection) {
    self.bus = bus
    bus.export(SearchProvider(surfaces: self).object(), at: SearchProvider.path)
    bus.export(Runner(surfaces: self).object(), at: Runner.path)
    panel = PanelItem(bus, surfaces: self)
  }

  /// The bus is gone, or about to be.
  func close() {
    panel?.close()
    panel = nil
    bus = nil
    searchers = [:]
  }

  /// The list of offers has changed, or the screen was locked or unlocked.
  func offersChanged() { panel?.update() }

  /// The list of devices has changed.
  func devicesChanged() { panel?.update() }

  // MARK: Who asks

  /// A method for processes outside of any sandbox, so many calls of each at once. `body` gets the arguments and the
  /// caller's name, and returns the reply.
  func method(
    _ name: String, in input: [BusArgument] = [], out output: [BusArgument] = [],
    _ body: @escaping ([BusValue], BusName) -> [BusValue]
  ) -> BusMethod {
    BusMethod(name, in: input, out: output) { [weak self] arguments, invocation in
      self?.identify(invocation) { caller in
        guard let self, let sender = invocation.sender else { return }
        guard caller.mayControl else {
          return invocation.fail(
            SegueError(.accessDenied, "What can be continued here is not for sandboxed applications."))
        }
        guard self.admits(sender) else {
          return invocation.fail(SegueError(.limitExceeded, "This program asks more often than it is answered."))
        }
        invocation.reply(body(arguments, sender))
      }
    }
  }

  private func admits(_ sender: BusName) -> Bool {
    if searchers.count >= Limits.callersRemembered, searchers[sender] == nil { searchers = [:] }
    return searchers[sender, default: Searcher()].allowance.admit(at: .now) == 0
  }

  func expect(_ token: String?, from sender: BusName) {
    searchers[sender]?.activationToken = token.flatMap { $0.utf8.count <= Limits.nameLength ? $0 : nil }
  }

  func takeToken(from sender: BusName) -> String? { searchers[sender]?.activationToken.take() }

  // MARK: Searching

  func search(_ texts: [String]) -> [Found] {
    let terms = SearchTerms(texts)
    return runner.ask { engine, moment in engine.search(terms, at: moment) }
  }

  func found(_ id: OfferID) -> Found? {
    runner.ask { engine, moment in engine.found(id, at: moment) }
  }

  /// The offers that a panel shows.
  var shown: [Found] { runner.ask { engine, moment in engine.shown(at: moment) } }

  // MARK: The user's choices

  /// The user has chosen a result. If it is gone by now, a notification says so.
  func pick(_ id: OfferID, activationToken: String?) {
    runner.handle(.picked(id, activationToken: activationToken))
  }

  /// The user has chosen, in the panel's menu, to send the activity to the device.
  func send(_ activity: Identifier, to device: DeviceID) { runner.handle(.sendPicked(device, activity)) }

  /// The user has chosen there to send the phone the link of the activity's page. If that fails, a notification says so.
  func sendPage(of activity: Identifier, to phone: PhoneID) {
    phones.sendPage(of: activity, to: phone) { [runner] error in
      if let error { runner.handle(.linkNotSent(error)) }
    }
  }

  /// `done` gets the phones that can be reached now.
  func findPhones(_ done: @escaping ([PhoneRow]) -> Void) { phones.list(done) }

  /// The activity that can be sent now, the newest, and the devices that take it; nil if there is none.
  var sendable: SendableActivity? { runner.ask { engine, moment in engine.sendable(at: moment) } }

  /// Opens Segue's window, where it is installed.
  func openWindow() {
    let call = Self.windowCall("Activate")
    call.isNoReply = true
    try? call.append([.dictionary([:])])
    try? bus?.send(call)
  }

  /// Opens Segue's window with a text that was sent here. `failed` is called if it is not installed, or does not answer.
  func openWindow(with text: Identifier, activationToken: String?, failed: @escaping (SegueError) -> Void) {
    let call = Self.windowCall("ActivateAction")
    var platform = BusDictionary()
    if let activationToken {
      platform["activation-token"] = .string(activationToken)
      platform["desktop-startup-id"] = .string(activationToken)
    }
    do throws(SegueError) {
      guard let bus else { throw Self.noWindow }
      try call.append([
        .string("text"), .array(elementSignature: "v", [.variant(.string(text.hex))]), .dictionary(platform),
      ])
      bus.call(call, timeout: Limits.callTime) { if case .failure = $0 { failed(Self.noWindow) } }
    } catch {
      failed(Self.noWindow)
    }
  }

  private static func windowCall(_ member: StaticString) -> Message {
    Message.call(
      destination: BusName(constant: "org.segue.Desktop"), path: ObjectPath(constant: "/org/segue/Desktop"),
      interface: InterfaceName(constant: "org.freedesktop.Application"), member: MemberName(constant: member))
  }

  private static let noWindow = SegueError(
    .noApplication, "A text was sent here, and Segue's window, which would show it, cannot be opened.",
    advice: "Read it with: segue received. Or install segue-desktop.")
}
