import SegueCore

/// A message from a viewer, or from a process that asks about the session. Pure.
enum ViewerMessage: Equatable {
  /// First: who it is, and how large its terminal is. `name` is the device's, empty for this one. `session`: by its
  /// name or id, which of the device's shared ones it wants; empty: the one that it is connected to. The
  /// viewer says nothing more until it is welcomed.
  case hello(version: UInt8, name: String, size: TerminalSize, session: String)
  case input([UInt8])
  case resized(TerminalSize)
  /// The viewer leaves, and will not come back.
  case leaves
  /// First, and only: asks for the session's description.
  case asks(version: UInt8)
  /// The screen is to be drawn anew, with everything that has left it.
  case redraw
  /// First, and only: two descriptors come with it, a viewer's input and output, which begins as every viewer does.
  /// Where the viewer has said its hello already, that is `hello`'s payload.
  case brings(hello: [UInt8])
  /// First, and only, each of these: a user's request about the session; its answer is the session's description.
  /// Whether other devices may look at it.
  case shares(Bool)
  /// Gives it a name.
  case names(String)
  /// Puts out the viewers on that device; empty: all viewers.
  case putsOut(device: String)

  static let version: UInt8 = 1

  var frame: ShellFrame {
    switch self {
    case .hello(let version, let name, let size, let session):
      ShellFrame(type: 1, payload: [version] + Fields.size(size) + Fields.text(name) + Fields.text(session))
    case .input(let bytes): ShellFrame(type: 2, payload: bytes)
    case .resized(let size): ShellFrame(type: 3, payload: Fields.size(size))
    case .leaves: ShellFrame(type: 4, payload: [])
    case .asks(let version): ShellFrame(type: 5, payload: [version])
    case .redraw: ShellFrame(type: 6, payload: [])
    case .brings(let hello): ShellFrame(type: 7, payload: hello)
    case .shares(let isShared): ShellFrame(type: 8, payload: [isShared ? 1 : 0])
    case .names(let name): ShellFrame(type: 9, payload: Fields.text(name))
    case .putsOut(let device): ShellFrame(type: 10, payload: Fields.text(device))
    }
  }

  init(_ frame: ShellFrame) throws(ProtocolFailure) {
    var fields = FieldReader(frame.payload)
    func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.shellName) }
    switch frame.type {
    case 1:
      let version = try fields.byte()
      // Another version may say something else behind it.
      guard version == Self.version else {
        self = .hello(version: version, name: "", size: .usual, session: "")
        return
      }
      let size = try fields.size()
      let name = clean(try fields.text())
      self = .hello(version: version, name: name, size: size, session: clean(try fields.text()))
    case 2: self = .input(fields.all())
    case 3: self = .resized(try fields.size())
    case 4: self = .leaves
    case 5: self = .asks(version: try fields.byte())
    case 6: self = .redraw
    case 7: self = .brings(hello: fields.all())
    case 8: self = .shares(try fields.byte() != 0)
    case 9: self = .names(clean(try fields.text()))
    case 10: self = .putsOut(device: clean(try fields.text()))
    default: throw ProtocolFailure("a frame of type \(frame.type)")
    }
    try fields.end()
  }
}

/// A message from a session to a viewer. Pure.
enum SessionMessage: Equatable {
  /// First: the name by which the session is attached to on its device, and the id by which it is found again.
  case welcome(version: UInt8, session: String, id: String)
  /// For the terminal: what the program wrote, or a drawing of the whole screen.
  case output([UInt8])
  /// The program's title, and the names of the other devices that look at the session.
  case status(title: String, others: [String])
  /// The program has ended, as a shell numbers it.
  case ended(status: UInt8)
  /// The session cannot be had.
  case refused(String)
  case description(SessionDescription)

  var frame: ShellFrame {
    switch self {
    case .welcome(let version, let session, let id):
      ShellFrame(type: 65, payload: [version] + Fields.text(session) + Fields.text(id))
    case .output(let bytes): ShellFrame(type: 66, payload: bytes)
    case .status(let title, let others):
      ShellFrame(type: 67, payload: Fields.text(title) + Fields.texts(others))
    case .ended(let status): ShellFrame(type: 68, payload: [status])
    case .refused(let reason): ShellFrame(type: 69, payload: Fields.text(reason))
    case .description(let description): ShellFrame(type: 70, payload: description.bytes)
    }
  }

  init(_ frame: ShellFrame) throws(ProtocolFailure) {
    var fields = FieldReader(frame.payload)
    func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.shellName) }
    switch frame.type {
    case 65:
      let version = try fields.byte()
      // Another version may say something else behind it.
      guard version == ViewerMessage.version else {
        self = .welcome(version: version, session: "", id: "")
        return
      }
      let session = clean(try fields.text())
      self = .welcome(version: version, session: session, id: clean(try fields.text()))
    case 66: self = .output(fields.all())
    case 67:
      let title = clean(try fields.text())
      var others: [String] = []
      for _ in 0..<(try fields.byte()) { others.append(clean(try fields.text())) }
      self = .status(title: title, others: others)
    case 68: self = .ended(status: try fields.byte())
    case 69: self = .refused(DisplayText.clean(try fields.text(), maximum: Limits.quotedLength))
    case 70: self = .description(try SessionDescription(&fields))
    default: throw ProtocolFailure("a frame of type \(frame.type)")
    }
    try fields.end()
  }
}

/// A session as `segue-shell list` shows it. Pure.
struct SessionDescription: Equatable {
  /// The user's name for it; empty where it has none but its number.
  let label: String
  let program: String
  /// Where it was started: the folder's last part.
  let folder: String
  /// The names of the devices that look.
  let viewers: [String]
  let isShared: Bool
  let seconds: UInt32

  init(label: String, program: String, folder: String, viewers: [String], isShared: Bool, seconds: UInt32) {
    self.label = label
    self.program = program
    self.folder = folder
    self.viewers = viewers
    self.isShared = isShared
    self.seconds = seconds
  }

  init(_ fields: inout FieldReader) throws(ProtocolFailure) {
    func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.shellName) }
    label = clean(try fields.text())
    program = clean(try fields.text())
    folder = clean(try fields.text())
    var viewers: [String] = []
    for _ in 0..<(try fields.byte()) { viewers.append(clean(try fields.text())) }
    self.viewers = viewers
    isShared = try fields.byte() != 0
    seconds = try fields.number32()
  }

  var bytes: [UInt8] {
    Fields.text(label) + Fields.text(program) + Fields.text(folder) + Fields.texts(viewers) + [isShared ? 1 : 0]
      + Fields.number32(seconds)
  }
}
