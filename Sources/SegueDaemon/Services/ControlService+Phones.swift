import SegueBus
import SegueControl
import SegueCore
import SegueEngine

// Phones, as user interfaces ask for them.

extension ControlService {
  /// Sends the link of an activity's page to the phone.
  func send(_ arguments: [BusValue], to phone: PhoneID, _ invocation: Invocation) throws(SegueError) {
    let options = try SendOptions(arguments.last?.asDictionary ?? BusDictionary())
    guard options.text == nil else {
      throw SegueError(.invalidArgument, "A phone only takes the link of a page.", advice: "Send the text to a device.")
    }
    let activity = try options.offer.map { offer throws(SegueError) in
      guard let id = Identifier(text: offer) else {
        throw SegueError(
          .invalidArgument, "This is not an activity's id.", advice: "List them with: segue activities --json")
      }
      return id
    }
    phones.sendPage(of: activity, to: phone) { error in
      if let error { invocation.fail(error) } else { invocation.reply() }
    }
  }
}
