import CTerminal
import Glibc
import SegueBus
import SegueCore

/// The notifications of files that came, each with an action that shows them in the file manager. No file is opened without
/// a click.
final class FileNotices {
  private let loop: EventLoop
  private let time: UInt64
  private var bus: Connection?
  /// The server's capabilities; nil: it was not asked yet.
  private var capabilities: [String]?
  private var isAsking = false
  /// The files whose notification waits for the answer.
  private var waiting: [Receiving] = []
  /// The paths that a click shows, by the notification's number.
  private var shown: [UInt32: [String]] = [:]
  private var calls = 0
  /// There is one more to be clicked, or one less.
  var changed: (() -> Void)?

  init(_ loop: EventLoop, _ times: FilesTimes) {
    self.loop = loop
    time = times.notice
  }

  var isEmpty: Bool { waiting.isEmpty && shown.isEmpty && calls == 0 }

  func close() { bus?.close() }

  func show(_ receiving: Receiving) {
    waiting.append(receiving)
    guard let bus = connection() else {
      waiting = []
      return
    }
    guard capabilities == nil else { return showWaiting() }
    guard !isAsking else { return }
    isAsking = true
    bus.call(DesktopNotifications.call(MemberName(constant: "GetCapabilities")), timeout: Limits.busTime) {
      [weak self] result in
      guard let self else { return }
      isAsking = false
      capabilities = (try? result.get().arguments())?.first?.asStrings
      if capabilities == nil { waiting = [] }
      showWaiting()
    }
  }

  private func showWaiting() {
    let all = waiting
    waiting = []
    for receiving in all { notify(receiving) }
    changed?()
  }

  private func notify(_ receiving: Receiving) {
    guard let bus, let capabilities else { return }
    let (summary, body) = Self.texts(
      receiving.files.map { FileName($0.name).string }, paths: receiving.paths, reasons: receiving.reasons,
      from: receiving.deviceName, capabilities: capabilities)
    let paths = receiving.paths
    let hasActions = capabilities.contains("actions") && !paths.isEmpty
    // The click itself has no label: some servers would show it as a second button.
    let actions = hasActions ? ["default", "", "show", "Show in Folder"] : []
    let message = DesktopNotifications.call(DesktopNotifications.notify)
    let hints: BusDictionary = [
      "desktop-entry": .string(FilesDoor.appID),
      "category": .string(paths.isEmpty ? "transfer.error" : "transfer.complete"),
    ]
    do throws(SegueError) {
      try message.append([
        .string("Segue"), .uint32(0), .string("folder-download"), .string(summary), .string(body), .strings(actions),
        .dictionary(hints), .int32(-1),
      ])
    } catch { return }
    calls += 1
    bus.call(message, timeout: Limits.busTime) { [weak self] result in
      guard let self else { return }
      calls -= 1
      if let id = (try? result.get().arguments())?.first?.asUInt32, id != 0, hasActions {
        shown[id] = paths
        loop.timer(after: time) { [weak self] in self?.forget(id) }
      }
      changed?()
    }
  }

  /// The texts of the notification. The names are another device's words.
  static func texts(
    _ names: [String], paths: [String], reasons: [String], from device: String, capabilities: [String]
  ) -> (summary: String, body: String) {
    let what = SentFile.title(paths.count == 1 ? [paths[0].pathParts?.name ?? ""] : paths.isEmpty ? names : paths)
    let device = DisplayText.clean(device, maximum: Limits.shownName)
    let summary = paths.isEmpty ? "\(what) from \(device) could not be brought" : "\(what) from \(device)"
    var lines = paths.first?.pathParts.map { ["In \(DisplayText.clean($0.folder, maximum: Limits.shownPath))"] } ?? []
    lines += reasons.prefix(3).map { DisplayText.clean($0, maximum: Limits.quotedLength) }
    if reasons.count > 3 { lines.append("and \(reasons.count - 3) more") }
    if capabilities.contains("body-markup") { lines = lines.map(\.asMarkup) }
    return (DisplayText.clean(summary), lines.joined(separator: "\n"))
  }

  // MARK: Clicks

  private func connection() -> Connection? {
    if let bus, bus.isOpen { return bus }
    // Another bus has other numbers.
    (capabilities, shown) = (nil, [:])
    bus = try? Connection.openBus(on: loop) { _ in }
    listen("ActionInvoked") { [unowned self] id in
      guard let paths = shown[id] else { return }
      forget(id)
      showInFolder(paths)
    }
    listen("NotificationClosed") { [unowned self] id in forget(id) }
    return bus
  }

  private func listen(_ member: StaticString, _ body: @escaping (UInt32) -> Void) {
    bus?.addSignalHandler(
      sender: DesktopNotifications.name, path: DesktopNotifications.path, interface: DesktopNotifications.interface,
      member: MemberName(constant: member)
    ) { message in
      if let id = (try? message.arguments())?.first?.asUInt32 { body(id) }
    }
  }

  private func forget(_ id: UInt32) {
    if shown.removeValue(forKey: id) != nil { changed?() }
  }

  /// By the file manager; where there is none that can, the folder is opened by what opens folders.
  private func showInFolder(_ paths: [String]) {
    let urls = paths.compactMap { FileURL(path: $0)?.string }
    guard let bus, let folder = paths.first?.pathParts?.folder else { return }
    let message = Message.call(
      destination: BusName(constant: "org.freedesktop.FileManager1"),
      path: ObjectPath(constant: "/org/freedesktop/FileManager1"),
      interface: InterfaceName(constant: "org.freedesktop.FileManager1"), member: MemberName(constant: "ShowItems"))
    do throws(SegueError) { try message.append([.strings(urls), .string("")]) } catch { return }
    calls += 1
    bus.call(message) { [weak self] result in
      self?.calls -= 1
      if case .failure = result { Self.openFolder(folder) }
      self?.changed?()
    }
  }

  private static func openFolder(_ folder: String) {
    var pid = pid_t()
    // The shell's text is fixed; it finds the program in PATH.
    let words = ["/bin/sh", "-c", #"exec xdg-open "$1""#, "sh", folder]
    let arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    _ = segue_terminal_detach(arguments + [nil], environ, "/", -1, &pid)
  }
}
