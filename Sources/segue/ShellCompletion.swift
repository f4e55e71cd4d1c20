import ArgumentParser
import SegueControl
import SegueCore

/// The words that a shell's completion offers, from the daemon. It starts no daemon, does not wait for long, and says
/// nothing of what goes wrong: whoever presses the tabulator key has not asked for it.
enum ShellCompletion {
  /// Ids of what can be continued here.
  static let offers = CompletionKind.custom { _, _, _ in
    ask { daemon throws(CommandFailure) in try offers(daemon) }
  }

  /// The ids of `offers`, and those of this device's own activities.
  static let activities = CompletionKind.custom { _, _, _ in
    ask { daemon throws(CommandFailure) in
      let activities: [ActivityRow] = try daemon.ask(.listActivities)
      return try offers(daemon) + activities.map { ShownOffer($0).shortID }
    }
  }

  /// The ids of this device's own activities.
  static let ownActivities = CompletionKind.custom { _, _, _ in
    ask { daemon throws(CommandFailure) in
      let activities: [ActivityRow] = try daemon.ask(.listActivities)
      return activities.map { ShownOffer($0).shortID }
    }
  }

  /// Paired devices, each as `device` gives it.
  static let devices = CompletionKind.custom { _, _, _ in
    ask { daemon throws(CommandFailure) in
      let devices: [DeviceRow] = try daemon.ask(.listDevices)
      return devices.map { word(for: Device($0)) }
    }
  }

  /// The devices, and the phones that a program reaches which answers soon enough.
  static let receivers = CompletionKind.custom { _, _, _ in
    ask { daemon throws(CommandFailure) in
      let devices: [DeviceRow] = try daemon.ask(.listDevices)
      let phones: [PhoneRow] = (try? daemon.ask(.listPhones)) ?? []
      return devices.map { word(for: Device($0)) }
        + phones.map { ShellText.quote($0.name) == $0.name ? $0.name : $0.id }
    }
  }

  /// The device's name, or its id where a shell would not read the name as one word.
  static func word(for device: Device) -> String {
    let isPlain = !device.name.isEmpty && ShellText.quote(device.name) == device.name && !device.name.has(":")
    return isPlain ? device.name : device.shortID
  }

  private static func offers(_ daemon: DaemonClient) throws(CommandFailure) -> [String] {
    let offers: [OfferRow] = try daemon.ask(.listOffers)
    return offers.map { ShownOffer($0).shortID }
  }

  private static func ask(_ body: (DaemonClient) throws(CommandFailure) -> [String]) -> [String] {
    do throws(CommandFailure) {
      let daemon = try DaemonClient.open(startsIt: false, callTime: Limits.completionTime)
      defer { daemon.close() }
      return try body(daemon)
    } catch {
      return []
    }
  }
}
