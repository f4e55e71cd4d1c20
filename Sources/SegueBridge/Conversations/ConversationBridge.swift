import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueState
import SegueWeb

/// Conversations with an assistant in a terminal. A conversation is on offer once it was left: while its program runs in a
/// terminal, going on with it there is segue-shell's. The program says nothing; each time its user does, it writes a line
/// into history.jsonl, which names the conversation.
final class ConversationBridge: Bridge {
  private static let history = "history.jsonl"
  private static let rules = JSONReader.Rules(
    length: Limits.bridgeRecord, depth: Limits.bridgeDepth, values: Limits.bridgeRecord, isOfJavaScript: true)

  var changed: ((BridgeChange) -> Void)?
  let allowsFiles = true

  private let bridged: BridgedProgram
  private let program: ConversationProgram
  private let bus: SessionBus
  private var watch: WatchedFolder?
  /// The conversation that was used last, and the processes that have it.
  private var last: ConversationID?
  private var processes: [Int32: (file: FileDescriptor, watch: LoopWatch)] = [:]
  /// The one that is on offer.
  private var shown: ConversationID?
  /// The transcript and the folder that were found last: neither becomes another one while the conversation goes on.
  private var known: (id: ConversationID, path: String, folder: String)?

  init(_ bridged: BridgedProgram, _ program: ConversationProgram, _ bus: SessionBus) throws(SegueError) {
    (self.bridged, self.program, self.bus) = (bridged, program, bus)
    guard let home = environment("HOME") else { return }
    watch = try WatchedFolder(program.folder ?? home + "/" + program.home, on: bus.loop) { [weak self] name in
      if name == nil || name == Self.history { self?.used() }
    }
    used()
  }

  func end() {
    watch?.cancel()
    for process in processes.values { process.watch.cancel() }
    processes = [:]
  }

  // MARK: The conversation here

  private func used() {
    guard let root = program.folder, let id = lastID(root) else { return }
    last = id
    for process in processes.values { process.watch.cancel() }
    processes = [:]
    let all = UserProcess.all().filter(isProgram)
    // The first line of a conversation may be here before its transcript.
    let folder = folder(of: id, root)
    let near = all.filter { process in folder.map { process.folder?.isSame(as: $0) == true } ?? false }
    for process in near.isEmpty ? all : near { follow(process.number) }
    show()
  }

  /// The id in the last line of what the user has said.
  private func lastID(_ root: String) -> ConversationID? {
    let path = root + "/" + Self.history
    guard let file = FileDescriptor(Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)) else {
      return nil
    }
    let size = lseek(file.raw, 0, SEEK_END)
    guard lseek(file.raw, max(0, size - off_t(Limits.conversationBeginning)), SEEK_SET) >= 0,
      let bytes = file.bytes(maximum: Limits.conversationBeginning),
      let line = bytes.split(separator: UInt8(ascii: "\n")).last
    else { return nil }
    return (try? JSONReader.read(Array(line), Self.rules))?[program.historyKey]?.text.flatMap { ConversationID($0) }
  }

  /// The folder that a conversation is about; nil where its transcript is not there, or none.
  private func folder(of id: ConversationID, _ root: String) -> String? {
    if let known, known.id == id, ConversationFile.isFit(known.path) { return known.folder }
    guard let path = program.transcript(of: id, below: root),
      let bytes = ConversationFile.beginning(path, below: root),
      let folder = Transcript.folder(bytes, of: id, program)
    else { return nil }
    known = (id, path, folder)
    return folder
  }

  /// Whether it is the program, by itself or as the script of another one, and somebody sits before it.
  private func isProgram(_ process: UserProcess) -> Bool {
    let names = process.words.prefix(2).map { $0.pathParts?.name ?? $0 } + [process.program ?? ""]
    return names.contains { bridged.programs.contains($0) } && process.hasTerminal
  }

  private func follow(_ number: Int32) {
    guard let file = FileDescriptor(segue_pidfd_open(number)),
      let watch = try? bus.loop.watch(file.raw, .readable, { [weak self] _ in self?.left(number) })
    else { return }
    processes[number] = (file, watch)
  }

  private func left(_ number: Int32) {
    processes.removeValue(forKey: number)?.watch.cancel()
    show()
  }

  private func show() {
    guard let last, processes.isEmpty, let folder = program.folder.flatMap({ self.folder(of: last, $0) }) else {
      if shown != nil { changed?(.ended) }
      shown = nil
      return
    }
    guard last != shown else {
      changed?(.used)
      return
    }
    shown = last
    changed?(.shows(title: DisplayText.clean("\(bridged.title): \(folder.pathParts?.name ?? folder)")))
  }

  func state() -> [Value: Value]? {
    guard let shown, let root = program.folder, let path = program.transcript(of: shown, below: root),
      let folder = folder(of: shown, root).flatMap({ FileURL(path: $0) }), let file = FileURL(path: path)
    else { return nil }
    var entries: [Value: Value] = [
      .string("program"): .string(program.name), .string("session"): .string(shown.string),
      .string("folder"): .url(folder.string), .string("transcript"): .url(file.string),
    ]
    let clone = GitFolder(of: folder.path)
    for (key, value) in [
      ("repository", clone?.repository), ("path", clone?.path), ("branch", clone?.branch), ("head", clone?.head),
    ] { if let value, !value.isEmpty { entries[.string(key)] = .string(value) } }
    return entries
  }

  // The transcript stays here too.
  func wasContinued() {}

  // MARK: Conversations of other devices

  func open(_ userInfo: [Value: Value], _ done: @escaping (Bool) -> Void) -> Bool { false }

  func open(_ arrival: Arrival, _ done: @escaping (Bool) -> Void) -> Bool {
    guard let place = ConversationPlace(arrival.userInfo, of: program), let home = environment("HOME") else {
      return false
    }
    guard let folder = place.folderHere(home: home) else {
      let what = place.repository.map { "a clone of \(DisplayText.clean($0))" } ?? "the folder"
      tell("The conversation cannot go on here: there is not \(what) below your home folder.")
      return false
    }
    arrival.bring(place.transcript, Limits.conversationTranscript) { [weak self] result in
      guard let self else { return done(false) }
      do throws(SegueError) {
        let path = try result.get().path
        done(try resume(place.id, folder, try Self.read(path)))
      } catch {
        let stop = error.message.ends(with: ".") ? "" : "."
        tell("The conversation cannot go on here: \(error.message)\(stop)")
        done(false)
      }
    }
    return true
  }

  private static func read(_ path: String) throws(SegueError) -> [UInt8] {
    guard let bytes = try File.read(path, maximum: Limits.conversationTranscript) else {
      throw SegueError(.notFound, "its transcript is not there")
    }
    return bytes
  }

  private func resume(_ id: ConversationID, _ folder: String, _ bytes: [UInt8]) throws(SegueError) -> Bool {
    guard let path = bridged.installedPath(.current()), let root = try program.madeFolder() else {
      throw SegueError(.notFound, "\(bridged.title) is not installed")
    }
    let transcript = try Transcript(bytes, of: id, program).moved(to: folder)
    let outcome = try ConversationFile.put(transcript, of: id, in: folder, program, below: root)
    let others = transcript.otherFolders(than: folder)
    if outcome == .stays {
      tell("The conversation has gone as far here, and goes on as it is here.")
    } else if let other = others.first {
      tell("The conversation is about folders of the other device too, such as \(DisplayText.quoted(other)).")
    }
    let command = program.command(path, resuming: id, in: folder)
    guard TerminalProgram.start(command, { ProgramStart.start($0) != nil }) else {
      throw SegueError(.launchFailed, "no program that opens a terminal was found; name one in TERMINAL")
    }
    return true
  }

  private func tell(_ text: String) { UserNote.show(bridged.title, text, icon: bridged.icon, on: bus) }
}
