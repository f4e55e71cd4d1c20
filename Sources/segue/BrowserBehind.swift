import Glibc
import SegueBus
import SegueCore
import SegueState

/// The browser that opens a page here without the daemon: a URL that Segue does not take, or any while the daemon
/// cannot be reached.
struct BrowserBehind {
  private let page: [UInt8]
  private let handler: WebHandler?

  /// `page`: byte for byte as it was given, of that scheme.
  init(_ page: [UInt8], scheme: String) {
    self.page = page
    // The program that the environment names was started for this page already, and has handed it back.
    handler = WebHandlers(.current(), usesNamed: !Self.isBack(page)) { environment($0) }.handler(ofScheme: scheme)
  }

  /// Whether the page comes from a program that was started to open it.
  static func isBack(_ page: [UInt8]) -> Bool { environment(WebLinkMark.variable) == WebLinkMark.value(page) }

  /// Opens the page: this process becomes the browser, unless the browser is called over the bus.
  func open() throws(SegueError) {
    guard let handler else {
      throw SegueError(
        .notHandled, "The link was not opened: there is no browser for it.",
        advice: "Install one, or choose one in the settings of the desktop.")
    }
    switch handler.start {
    case .bus(let appID): try call(appID, handler)
    case .program(let command, let folder):
      setenv(WebLinkMark.variable, WebLinkMark.value(page), 1)
      if let folder { _ = chdir(folder) }
      let words = command.words(opening: page)
      var arguments: [UnsafeMutablePointer<CChar>?] = words.map { word in
        strdup(word.map { CChar(bitPattern: $0) } + [0])
      }
      arguments.append(nil)
      defer { for argument in arguments { free(argument) } }
      if let program = arguments[0] { execv(program, &arguments) }
      throw SegueError(
        .launchFailed, "\(handler.name) could not be started: \(String(cString: strerror(errno))).",
        advice: "Start it by hand, or choose another browser in the settings of the desktop.")
    }
  }

  private func call(_ appID: AppID, _ handler: WebHandler) throws(SegueError) {
    guard let text = TextCheck.string(page, maximum: page.count) else {
      throw SegueError(.invalidArgument, "\(handler.name) takes no link that is not UTF-8.")
    }
    let loop = try EventLoop()
    let bus = try Connection.openBus(on: loop) { _ in }
    defer { bus.close() }
    let call = Message.call(
      destination: appID.busName, path: ObjectPath(for: appID),
      interface: InterfaceName(constant: "org.freedesktop.Application"), member: MemberName(constant: "Open"))
    var data = BusDictionary()
    if let token = environment("XDG_ACTIVATION_TOKEN") {
      data["desktop-startup-id"] = .string(token)
      data["activation-token"] = .string(token)
    }
    try call.append([.strings([text]), .dictionary(data)])
    var result: Result<Message, SegueError>?
    bus.call(call, timeout: Limits.continueTime) { result = $0 }
    while result == nil { loop.wait(milliseconds: -1) }
    _ = try result?.get()
  }
}
