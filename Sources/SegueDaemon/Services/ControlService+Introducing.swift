import SegueBus
import SegueControl
import SegueCore
import SegueEngine
import SegueLink

// The third device, as user interfaces ask for it.

extension Event.IntroductionCall {
  /// The call that a method of the control interface makes; nil for another method. Throws `invalidArgument`.
  init?(_ method: ControlMethod, _ arguments: [BusValue]) throws(SegueError) {
    let texts = arguments.compactMap { $0.asString }
    func device(_ index: Int) throws(SegueError) -> DeviceID {
      guard texts.count > index, let id = DeviceID(texts[index]) else {
        throw SegueError(
          .invalidArgument, "This is not a device's id.", advice: "List the devices with: segue devices --json")
      }
      return id
    }
    switch method {
    case .introduce: self = .introduce(try device(0), to: texts.count > 1 && !texts[1].isEmpty ? try device(1) : nil)
    case .acceptIntroduction: self = .accept(try device(0))
    case .declineIntroduction: self = .decline(try device(0))
    default: return nil
    }
  }
}

extension IntroductionRow {
  init(_ introduction: PendingIntroduction, by introducerName: String) {
    self.init()
    id = DeviceID(bytes: introduction.device.bytes)?.description ?? ""
    name = introduction.name
    words = introduction.device.words
    addresses = introduction.addresses.map { $0.description }
    introducer = introduction.introducer.description
    self.introducerName = introducerName
  }
}
