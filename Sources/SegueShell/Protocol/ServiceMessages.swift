import SegueCore

/// A message between the service and a session or a viewer, for which the service deals with other devices. All of them
/// are processes of one user. Pure.
enum ServiceMessage: Equatable {
  /// A session, as others may name it.
  struct Session: Equatable {
    /// The number by which it is attached to on its device.
    var name: String
    var id: String
    /// The user's name for it; empty where it has none but its number.
    var label: String

    func isCalled(_ text: String) -> Bool { text == id || text == name || !label.isEmpty && text == label }
  }

  // A session's.
  /// First: it is shared, under this title, and was used last so many milliseconds ago.
  case shares(Session, title: String, idle: UInt32)
  case titled(String, label: String)
  /// It was used on this device, so that it is what the user does here.
  case used
  /// A viewer of another device wants another session: its hello's payload, and its input and output come with it.
  case passes(hello: [UInt8])

  // A viewer's.
  /// First: it was started for the continuation with this token.
  case views(token: String)
  /// First: it wants to look at a session of a device, which has this name and, where it is known, this alias. Where
  /// `activity` is not empty, the one that has this activity on offer is meant.
  case wants(device: String, alias: String, activity: String)
  /// The connection to the session was lost, and another one is wanted.
  case again

  // The service's.
  /// To a session: what this device is called.
  case named(String)
  /// A connection to the other device, in two descriptors that come with it: input and output. `own`: what this device
  /// is called.
  case stream(device: String, alias: String, own: String)
  /// The other device offers no session now; it is waited for.
  case waits
  /// There is none, and there will be none.
  case failed(String)

  var frame: ShellFrame {
    switch self {
    case .shares(let session, let title, let idle):
      ShellFrame(
        type: 129,
        payload: Fields.text(session.name) + Fields.text(session.id) + Fields.text(session.label) + Fields.text(title)
          + Fields.number32(idle))
    case .titled(let title, let label): ShellFrame(type: 130, payload: Fields.text(title) + Fields.text(label))
    case .used: ShellFrame(type: 131, payload: [])
    case .views(let token): ShellFrame(type: 132, payload: Fields.text(token))
    case .again: ShellFrame(type: 133, payload: [])
    case .stream(let device, let alias, let own):
      ShellFrame(type: 134, payload: Fields.text(device) + Fields.text(alias) + Fields.text(own))
    case .failed(let reason): ShellFrame(type: 135, payload: Fields.text(reason))
    case .passes(let hello): ShellFrame(type: 136, payload: hello)
    case .wants(let device, let alias, let activity):
      ShellFrame(type: 137, payload: Fields.text(device) + Fields.text(alias) + Fields.text(activity))
    case .named(let device): ShellFrame(type: 138, payload: Fields.text(device))
    case .waits: ShellFrame(type: 139, payload: [])
    }
  }

  init(_ frame: ShellFrame) throws(ProtocolFailure) {
    var fields = FieldReader(frame.payload)
    func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.shellName) }
    switch frame.type {
    case 129:
      let name = clean(try fields.text())
      let id = clean(try fields.text())
      let label = clean(try fields.text())
      let title = clean(try fields.text())
      self = .shares(Session(name: name, id: id, label: label), title: title, idle: try fields.number32())
    case 130:
      let title = clean(try fields.text())
      self = .titled(title, label: clean(try fields.text()))
    case 131: self = .used
    case 132: self = .views(token: try fields.text())
    case 133: self = .again
    case 134:
      let device = clean(try fields.text())
      let alias = clean(try fields.text())
      self = .stream(device: device, alias: alias, own: clean(try fields.text()))
    case 135: self = .failed(DisplayText.clean(try fields.text(), maximum: Limits.quotedLength))
    case 136: self = .passes(hello: fields.all())
    case 137:
      let device = clean(try fields.text())
      let alias = clean(try fields.text())
      self = .wants(device: device, alias: alias, activity: clean(try fields.text()))
    case 138: self = .named(clean(try fields.text()))
    case 139: self = .waits
    default: throw ProtocolFailure("a frame of type \(frame.type)")
    }
    try fields.end()
  }
}
