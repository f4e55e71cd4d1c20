import SegueCore

/// What a viewer says, or who asks. Pure.
enum ViewerMessage: Equatable {
  /// First: who it is, and how large its terminal is. `name` is the device's, empty for this one.
  case hello(version: UInt8, name: String, size: TerminalSize)
  case input([UInt8])
  case resized(TerminalSize)
  /// It leaves, and means it.
  case leaves
  /// First, and only: asks what this session is.
  case asks(version: UInt8)
  /// The screen is to be drawn anew, with everything that has left it.
  case redraw
  /// First, and only: two descriptors come with it, a viewer's input and output, which begins as every viewer does.
  case brings

  static let version: UInt8 = 1

  var frame: Frame {
    switch self {
    case .hello(let version, let name, let size):
      Frame(type: 1, payload: [version] + Fields.size(size) + Fields.text(name))
    case .input(let bytes): Frame(type: 2, payload: bytes)
    case .resized(let size): Frame(type: 3, payload: Fields.size(size))
    case .leaves: Frame(type: 4, payload: [])
    case .asks(let version): Frame(type: 5, payload: [version])
    case .redraw: Frame(type: 6, payload: [])
    case .brings: Frame(type: 7, payload: [])
    }
  }

  init(_ frame: Frame) throws(ProtocolFailure) {
    var fields = FieldReader(frame.payload)
    switch frame.type {
    case 1:
      let version = try fields.byte()
      let size = try fields.size()
      self = .hello(
        version: version, name: DisplayText.clean(try fields.text(), maximum: Limits.shellName), size: size)
    case 2: self = .input(fields.all())
    case 3: self = .resized(try fields.size())
    case 4: self = .leaves
    case 5: self = .asks(version: try fields.byte())
    case 6: self = .redraw
    case 7: self = .brings
    default: throw ProtocolFailure("a frame of type \(frame.type)")
    }
    try fields.end()
  }
}

/// What a session says to a viewer. Pure.
enum SessionMessage: Equatable {
  /// First: by which name the session is attached to on its device.
  case welcome(version: UInt8, session: String)
  /// For the terminal: what the program wrote, or a drawing of the whole screen.
  case output([UInt8])
  /// The program's title, and the names of the other devices that look at the session.
  case status(title: String, others: [String])
  /// The program has ended, as a shell numbers it.
  case ended(status: UInt8)
  /// The session cannot be had.
  case refused(String)
  case description(SessionDescription)

  var frame: Frame {
    switch self {
    case .welcome(let version, let session): Frame(type: 65, payload: [version] + Fields.text(session))
    case .output(let bytes): Frame(type: 66, payload: bytes)
    case .status(let title, let others):
      Frame(
        type: 67,
        payload: Fields.text(title) + [UInt8(min(others.count, Limits.shellViewers))]
          + others.prefix(Limits.shellViewers).flatMap { Fields.text($0) })
    case .ended(let status): Frame(type: 68, payload: [status])
    case .refused(let reason): Frame(type: 69, payload: Fields.text(reason))
    case .description(let description): Frame(type: 70, payload: description.bytes)
    }
  }

  init(_ frame: Frame) throws(ProtocolFailure) {
    var fields = FieldReader(frame.payload)
    func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.shellName) }
    switch frame.type {
    case 65: self = .welcome(version: try fields.byte(), session: clean(try fields.text()))
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

/// What `segue-shell list` shows of a session. Pure.
struct SessionDescription: Equatable {
  let program: String
  /// Where it was started: the folder's last part.
  let folder: String
  let viewers: Int
  let isShared: Bool
  let seconds: UInt32

  init(program: String, folder: String, viewers: Int, isShared: Bool, seconds: UInt32) {
    self.program = program
    self.folder = folder
    self.viewers = viewers
    self.isShared = isShared
    self.seconds = seconds
  }

  init(_ fields: inout FieldReader) throws(ProtocolFailure) {
    program = DisplayText.clean(try fields.text(), maximum: Limits.shellName)
    folder = DisplayText.clean(try fields.text(), maximum: Limits.shellName)
    viewers = Int(try fields.byte())
    isShared = try fields.byte() != 0
    seconds = try fields.number32()
  }

  var bytes: [UInt8] {
    Fields.text(program) + Fields.text(folder) + [UInt8(clamping: viewers), isShared ? 1 : 0]
      + Fields.number32(seconds)
  }
}
