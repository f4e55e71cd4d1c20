import SegueBus
import SegueControl
import SegueCore
import Testing

@testable import SegueDaemon
@testable import SegueEngine

/// The panel's menu: to whom the newest activity can be sent.
@Suite struct PanelMenuTests {
  private let activity = Identifier(high: 1, low: 7)

  private func sendable(hasPage: Bool, devices: [String] = ["lap"]) -> SendableActivity {
    let device = DeviceID(hash: [UInt8](repeating: 1, count: 32), check: [])
    return SendableActivity(
      id: activity, title: "Film", hasPage: hasPage,
      receivers: devices.map { SendableActivity.Receiver(device: device, name: $0) })
  }

  private func phones(_ names: String...) throws -> [PhoneRow] {
    try names.map { PhoneRow(try #require(PhoneID(.valent, $0)), name: $0) }
  }

  private func labels(_ menu: PanelMenu) -> [String] {
    menu.numbers.compactMap { menu.properties(of: $0)?["label"]?.asString }
  }

  @Test func X13_phonesTakeAPagesLinkInThePanel() throws {
    var menu = PanelMenu()
    let hasChanged = menu.show([], sendable: sendable(hasPage: true), phones: try phones("Pixel_7"))
    #expect(hasChanged)
    #expect(labels(menu) == ["Send \"Film\" to", "Open Segue", "lap", "Pixel__7 - link only, with Valent"])
  }

  @Test func X13_whatHasNoPageGoesToNoPhoneInThePanel() throws {
    var menu = PanelMenu()
    let (with, without) = (sendable(hasPage: false), sendable(hasPage: false, devices: []))
    _ = menu.show([], sendable: with, phones: try phones("Pixel"))
    #expect(labels(menu) == ["Send \"Film\" to", "Open Segue", "lap"])
    _ = menu.show([], sendable: without, phones: try phones("Pixel"))
    #expect(labels(menu) == ["Open Segue"])
  }

  @Test func X13_aPageWithoutDevicesGoesToPhonesAlone() throws {
    var menu = PanelMenu()
    let page = sendable(hasPage: true, devices: [])
    let isNothing = menu.show([], sendable: page)
    #expect(!isNothing && labels(menu) == ["Open Segue"])
    _ = menu.show([], sendable: page, phones: try phones("Pixel"))
    #expect(labels(menu) == ["Send \"Film\" to", "Open Segue", "Pixel - link only, with Valent"])
  }

  /// A click on what was on the screen must not send to another one.
  @Test func X13_aNumberInThePanelNeverMeansAnotherPhone() throws {
    var menu = PanelMenu()
    let page = sendable(hasPage: true)
    _ = menu.show([], sendable: page, phones: try phones("a"))
    let (revision, numbers) = (menu.revision, Set(menu.receivers.map { $0.number }))
    let isSame = menu.show([], sendable: page, phones: try phones("a"))
    #expect(!isSame && menu.revision == revision)
    _ = menu.show([], sendable: page, phones: try phones("b"))
    #expect(menu.revision > revision && numbers.isDisjoint(with: menu.receivers.map { $0.number }))
    #expect(numbers.allSatisfy { menu.properties(of: $0) == nil })
  }
}
