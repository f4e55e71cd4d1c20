import SegueControl
import SegueCore
import Testing

@testable import SegueBrowser

@Suite struct OfferListTests {
  private func row(_ title: String, age: UInt64, isHere: Bool = false) -> OfferRow {
    var row = OfferRow()
    (row.id, row.deviceID, row.deviceName, row.title, row.age, row.isHere) = ("a", "d", "lap", title, age, isHere)
    return row
  }

  @Test func theNewestOfOtherDevicesAreListed() {
    let rows = [row("old", age: 3), row("here", age: 1, isHere: true), row("new", age: 2)]
    #expect(BrowserOffer.list(rows).map { $0.title } == ["new", "old"])
    let many = (0..<Limits.browserOffers + 5).map { row(String($0), age: UInt64($0)) }
    #expect(BrowserOffer.list(many.shuffled()).map { $0.title } == (0..<Limits.browserOffers).map { String($0) })
  }

  @Test func whatIsSaidOfAnOffer() {
    var row = row("Letter", age: 0)
    #expect(
      BrowserOffer.list([row])[0].json.text
        == #"{"activity":"a","application":"","device":"d","deviceName":"lap","inBrowser":false,"title":"Letter"}"#)
    (row.title, row.appName, row.webHost, row.isForBrowser) = (nil, "Editor", "example.org", true)
    #expect(
      BrowserOffer.list([row])[0].json.text
        == #"{"activity":"a","application":"Editor","device":"d","deviceName":"lap","host":"example.org","#
        + #""inBrowser":true,"title":""}"#)
  }

  /// 64 of the longest are less than what a browser takes at once.
  @Test func aListFitsIntoAMessage() {
    var row = row(String(repeating: "\u{1}", count: Limits.titleMaximum), age: 0)
    row.appName = String(repeating: "\"", count: Limits.titleMaximum)
    row.webHost = String(repeating: "h", count: Limits.urlMaximum)
    row.deviceName = String(repeating: "\\", count: Limits.titleMaximum)
    let offers = BrowserOffer.list(Array(repeating: row, count: Limits.browserOffers))
    #expect(ToBrowser.offers(offers).json.text.utf8.count < Limits.browserBacklog)
  }
}
