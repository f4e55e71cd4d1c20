import CLinux
import SegueBus
import SegueCore
import SegueState

/// GNOME's text editor, which opens a text where its user left it, and tells nobody where that is: it continues what others
/// have, and announces nothing. Seen of version 43: it reads the place, `LINE:COLUMN` from 0, from the file's metadata
/// `gte-cursor` (of GVFS, which `gio set` writes) when it opens a file; +LINE:COLUMN would be another file. A text that is
/// open already stays where it is.
final class TextEditorBridge: Bridge {
  private static let name = BusName(constant: "org.gnome.TextEditor")
  private static let path = ObjectPath(constant: "/org/gnome/TextEditor")
  private static let interface = InterfaceName(constant: "org.freedesktop.Application")
  /// The program that writes metadata.
  static let writer = "gio"

  var changed: ((BridgeChange) -> Void)?
  private let bus: SessionBus
  private var marking: Marking?

  /// The process that writes the place.
  private final class Marking {
    let process: FileDescriptor
    var watch: LoopWatch?
    var overdue: LoopTimer?
    init(_ process: FileDescriptor) { self.process = process }
    func cancel() {
      watch?.cancel()
      overdue?.cancel()
    }
  }

  init(_ bus: SessionBus) { self.bus = bus }

  func end() { marking?.cancel() }
  func state() -> [Value: Value]? { nil }
  func wasContinued() {}

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool {
    guard let place = TextPlace(userInfo), OpenAddress.file(place.file).isThere else { return false }
    marking?.cancel()
    mark(place) { [self] in
      bus.call(
        Self.name, Self.path, Self.interface, MemberName(constant: "Open"),
        [.array(elementSignature: "s", [.string(place.file.string)]), .dictionary(BusDictionary())], starts: true,
        timeout: Limits.bridgeLaunchTime
      ) { done($0 != nil) }
    }
    return true
  }

  /// Writes the place down for the editor, where it is known and can be written; the text is opened in any case.
  private func mark(_ place: TextPlace, _ next: @escaping () -> Void) {
    guard let text = try? File.read(place.file.path, maximum: Limits.bridgeFile), let found = place.found(in: text),
      let writer = RegistrySettings.current().program(Self.writer),
      let process = ProgramStart.start([
        writer, "set", "-t", "string", place.file.path, "metadata::gte-cursor", "\(found.line - 1):\(found.column - 1)",
      ]), let descriptor = FileDescriptor(segue_pidfd_open(process))
    else { return next() }
    let marking = Marking(descriptor)
    self.marking = marking
    var isOver = false
    let over = { [weak self] in
      guard !isOver else { return }
      isOver = true
      marking.cancel()
      if self?.marking === marking { self?.marking = nil }
      next()
    }
    marking.watch = try? bus.loop.watch(descriptor.raw, .readable) { _ in over() }
    marking.overdue = bus.loop.timer(after: Limits.bridgeAnswerTime, over)
  }
}
