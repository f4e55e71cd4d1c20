import SegueCore

/// What sessions and viewers say to the service, which has to do with other devices in their place, and what it says to
/// them. All of them are processes of one user. Pure.
enum ServiceMessage: Equatable {
  // A session's.
  /// First: it is shared, under this title.
  case shares(session: String, title: String)
  case titled(String)
  /// It was used on this device, so that it is what the user does here.
  case used

  // A viewer's.
  /// First: it was started for the continuation with this token.
  case views(token: String)
  /// The connection to the session was lost, and another one is wanted.
  case again

  // The service's.
  /// A connection to the session, in two descriptors that come with it: input and output.
  case stream(device: String)
  /// There is none, and there will be none.
  case failed(String)

  var frame: Frame {
    switch self {
    case .shares(let session, let title): Frame(type: 129, payload: Fields.text(session) + Fields.text(title))
    case .titled(let title): Frame(type: 130, payload: Fields.text(title))
    case .used: Frame(type: 131, payload: [])
    case .views(let token): Frame(type: 132, payload: Fields.text(token))
    case .again: Frame(type: 133, payload: [])
    case .stream(let device): Frame(type: 134, payload: Fields.text(device))
    case .failed(let reason): Frame(type: 135, payload: Fields.text(reason))
    }
  }

  init(_ frame: Frame) throws(ProtocolFailure) {
    var fields = FieldReader(frame.payload)
    func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.shellName) }
    switch frame.type {
    case 129:
      let session = clean(try fields.text())
      self = .shares(session: session, title: clean(try fields.text()))
    case 130: self = .titled(clean(try fields.text()))
    case 131: self = .used
    case 132: self = .views(token: try fields.text())
    case 133: self = .again
    case 134: self = .stream(device: clean(try fields.text()))
    case 135: self = .failed(DisplayText.clean(try fields.text(), maximum: Limits.quotedLength))
    default: throw ProtocolFailure("a frame of type \(frame.type)")
    }
    try fields.end()
  }
}
