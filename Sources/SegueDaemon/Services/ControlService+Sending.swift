import SegueBus
import SegueControl
import SegueCore
import SegueEngine

// Sending, as user interfaces ask for it.

extension Event.ControlCall {
  /// The call that the arguments of Send make. Throws `invalidArgument`.
  static func send(_ arguments: [BusValue]) throws(SegueError) -> Event.ControlCall {
    guard let device = arguments.first?.asString.flatMap({ DeviceID(recorded: $0) }) else {
      throw SegueError(
        .invalidArgument, "This is not a device's id.", advice: "List the devices with: segue devices --json")
    }
    let options = try SendOptions(arguments.last?.asDictionary ?? BusDictionary())
    switch (options.offer, options.text) {
    case (nil, nil): return .send(device, nil)
    case (nil, let text?): return .send(device, .text(text))
    case (let offer?, nil):
      guard let id = Identifier(text: offer) else {
        throw SegueError(
          .invalidArgument, "This is not an activity's id.", advice: "List them with: segue activities --json")
      }
      return .send(device, .activity(id))
    case (_?, _?):
      throw SegueError(.invalidArgument, "An activity and a text are sent one by one.", advice: "Give one of them.")
    }
  }
}

extension TextRow {
  init(_ text: ReceivedText, deviceName: String, at moment: Moment) {
    self.init()
    id = text.id.hex
    self.text = text.text
    deviceID = text.device.description
    self.deviceName = deviceName
    age = moment.instant.time(since: text.received)
  }
}
