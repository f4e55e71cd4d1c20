import SegueControl
import SegueCore

/// Where something can be sent: the user's own devices, and phones that other programs reach.
enum Receivers {
  /// The phone whose name or id is `text`, or nil. Throws where several are called so.
  static func phone(_ text: String, among phones: [PhoneRow]) throws(CommandFailure) -> PhoneRow? {
    let found = phones.filter { $0.id == text || $0.name == text || PhoneID($0.id)?.phone == text }
    guard found.count > 1 else { return found.first }
    throw CommandFailure(
      .failed,
      SegueError(
        .invalidArgument, "\(found.count) phones fit \(text).",
        advice: "Give an id: \(found.map(\.id).joined(separator: ", or "))."))
  }

  /// Prints both lists; of devices, those that are there.
  static func list(_ devices: [DeviceRow], _ phones: [PhoneRow], asJSON: Bool) throws(CommandFailure) {
    let devices = devices.filter { $0.isOnline && !$0.takes.isEmpty }
    guard !asJSON else {
      return try Terminal.print(
        JSONText.object([("devices", JSONText.array(devices)), ("phones", JSONText.array(phones))]))
    }
    guard !devices.isEmpty || !phones.isEmpty else {
      return try Terminal.print("No device is online to which something could be sent.")
    }
    var table = Table()
    for row in devices {
      let device = Device(row)
      table.add([device.name.isEmpty ? device.shortID : device.name, device.shortID, "activities, texts and files"])
    }
    for phone in phones { table.add([phone.name, phone.id, "links, with \(phone.program)"]) }
    try Terminal.print(table.lines.joined(separator: "\n"))
  }
}
