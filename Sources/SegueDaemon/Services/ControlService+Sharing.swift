import SegueBus
import SegueControl
import SegueCore
import SegueEngine

// The choices about sharing (semantics X5), as user interfaces ask for them.

extension ControlService {
  func share(
    _ method: ControlMethod, _ arguments: [BusValue], done: @escaping (SegueError?) -> Void
  ) throws(SegueError) {
    let isOn = arguments.compactMap { $0.asBool }.first ?? false
    let text = arguments.first?.asString ?? ""
    switch method {
    case .setPause: try sharing.setPause(isOn, until: arguments.last?.asUInt64 ?? 0, done: done)
    case .setPauseHere: try sharing.setPauseHere(isOn, done: done)
    case .withholdApplication: try sharing.withhold(Self.application(text), isOn, done: done)
    case .withholdFromDevice:
      guard let device = DeviceID(text) else { throw DeviceService.badDevice }
      try sharing.withhold(from: device, isOn, done: done)
    default: done(nil)
    }
  }
}

extension DaemonStatus {
  /// The choices, and whether Segue is paused now.
  mutating func carry(_ sharing: Sharing) {
    switch sharing.pause {
    case .paused(let until): (isPaused, pausedUntil) = (true, until)
    case .network: (isPaused, isPausedHere) = (true, true)
    case nil: break
    }
    withheld = sharing.choices.applications.map { $0.string }.sorted()
    withheldFrom = sharing.choices.devices.map { $0.description }.sorted()
  }
}
