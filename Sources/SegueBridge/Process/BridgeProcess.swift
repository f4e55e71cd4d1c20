import Glibc
import SegueBus
import SegueCore
import SegueState

/// The one process that acts for all bridged programs of a session. It rests until the bus wakes it.
final class BridgeProcess {
  private static let name = BusName(constant: "org.segue.Bridge")
  private static let path = ObjectPath(constant: "/org/segue/Bridge")
  private static let interface = InterfaceName(constant: "org.segue.Bridge")

  private let loop: EventLoop
  private let files: BridgeFiles
  private var bus: SessionBus?
  private var watch: LoopWatch?
  private var players: PlayerBus?
  private var applications: [BridgedApplication] = []
  private var enabled: [BridgedProgram] = []
  /// Other devices may have the documents of these.
  private var giving: [BridgedProgram] = []
  /// The status to end with.
  private var status: Int32?

  static func run() throws(SegueError) -> Int32 { try BridgeProcess().run() }

  private init() throws(SegueError) {
    loop = try EventLoop()
    guard let path = ProgramPath.current() else {
      throw SegueError(.system, "Where this program is installed cannot be told.")
    }
    files = try BridgeFiles(bridge: path.string)
  }

  private func run() throws(SegueError) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    // Programs that it starts are nobody's to wait for.
    signal(SIGCHLD, SIG_IGN)
    let bus = try SessionBus { [unowned self] error in
      Self.log(error.message)
      status = 0
    }
    self.bus = bus
    watch = try loop.watch(bus.loop.descriptor, .readable) { [unowned bus] _ in _ = bus.loop.dispatch() }
    let reload = BusMethod("Reload") { [unowned self] _, invocation in
      invocation.reply()
      // Not within a call of the bus that may be made anew.
      loop.later { [unowned self] in readChoices() }
    }
    bus.connectionForObjects.export(BusObject([BusInterface(Self.interface, methods: [reload])]), at: Self.path)
    bus.connectionForObjects.requestName(Self.name) { [unowned self] outcome in
      switch outcome {
      case .owner: loop.later { [unowned self] in readChoices() }
      case .taken:
        // The bus waits for the name for which it has started this process, and the one that runs has it, or soon will.
        loop.timer(after: Limits.bridgeYieldTime) { [unowned self] in status = 0 }
      case .refused(let error), .failed(let error):
        Self.log(error.message)
        status = 1
      }
    }
    while status == nil { loop.wait(milliseconds: -1) }
    for application in applications { application.close() }
    return status ?? 0
  }

  private func readChoices() {
    guard let bus else { return }
    do throws(SegueError) {
      let choices = try files.choices()
      // A program that was installed since the last session claims its types from now on; one that was removed claims none.
      try files.write(for: choices.enabled)
      let settings = RegistrySettings.current()
      let wanted = choices.enabled.filter { $0.installedPath(settings) != nil }
      let given = wanted.filter { choices.givesFiles($0) }
      guard wanted != enabled || given != giving || wanted.isEmpty else { return }
      for application in applications { application.close() }
      applications = []
      players?.end()
      (enabled, giving) = (wanted, given)
      guard !wanted.isEmpty else { return status = 0 }
      let players = PlayerBus(bus, wanted.filter { $0.way == .player })
      self.players = players
      for program in wanted {
        guard let bridge = try Self.bridge(to: program, bus, players) else { continue }
        applications.append(
          try BridgedApplication(
            program, bridge, givesFiles: given.contains(program), on: loop, log: Self.log
          ) { text in
            UserNote.show(program.title, text, icon: program.icon, on: bus)
          })
      }
    } catch {
      Self.log(error.message)
      status = 1
    }
  }

  private static func bridge(
    to program: BridgedProgram, _ bus: SessionBus, _ players: PlayerBus
  ) throws(SegueError) -> Bridge? {
    switch program.way {
    case .player: players.bridge(of: program)
    case .zathura: ReaderBridge(program, Zathura(bus), bus)
    case .okular: ReaderBridge(program, Okular(bus), bus)
    case .evince: EvinceBridge(bus)
    case .nautilus: NautilusBridge(bus)
    case .textEditor: TextEditorBridge(bus)
    case .office: try OfficeBridge(program, bus)
    case .conversation:
      try ConversationProgram.named(program.name).map { conversation throws(SegueError) in
        try ConversationBridge(program, conversation, bus)
      }
    case .calibre: try CalibreFiles().map { files throws(SegueError) in try CalibreBridge(program, files, bus.loop) }
    }
  }

  static func log(_ text: String) {
    let line = Array("segue-bridge: \(DisplayText.clean(text, maximum: Limits.sentenceLength))\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
