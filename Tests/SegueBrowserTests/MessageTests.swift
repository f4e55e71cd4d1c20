import SegueCore
import Testing

@testable import SegueBrowser

@Suite struct MessageTests {
  private func failure(_ text: String) -> FromBrowser.Failure? {
    do throws(FromBrowser.Failure) {
      _ = try FromBrowser(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (#"{"type":"hello","version":1,"browser":"firefox"}"#, FromBrowser.hello(version: 1, browser: "firefox")),
    (
      #"{"type":"page","key":"7","url":"https://example.org/","title":"A","extra":[{}]}"#,
      .page(key: "7", url: "https://example.org/", title: "A", place: nil, continuation: nil)
    ),
    (
      #"{"type":"page","key":"7","url":"x","title":"","place":{"y":2},"continuation":3}"#,
      .page(key: "7", url: "x", title: "", place: Place(["y": .number(2)]), continuation: 3)
    ),
    (#"{"type":"moved","key":"7"}"#, .moved(key: "7")), (#"{"type":"left","key":"7"}"#, .left(key: "7")),
    (#"{"type":"closed","key":"7"}"#, .closed(key: "7")),
    (#"{"type":"place","request":1,"place":{}}"#, .place(request: 1, Place([:]))),
    (#"{"type":"place","request":1}"#, .place(request: 1, nil)),
    (#"{"type":"opened","continuation":2}"#, .opened(continuation: 2)),
    (#"{"type":"failed","continuation":2,"reason":"no"}"#, .failed(continuation: 2, reason: "no")),
    (#"{"type":"list"}"#, .list), (#"{"type":"unlist"}"#, .unlist),
    (#"{"type":"continue","device":"d","activity":"a"}"#, .continue(device: "d", activity: "a")),
  ]) func messagesAreRead(_ text: String, _ message: FromBrowser) throws {
    #expect(try FromBrowser(Array(text.utf8)) == message)
    #expect(text.contains("\"\(message.type)\""))
  }

  @Test(arguments: [
    ("x", "", "not JSON"), ("[]", "", "not an object"), ("{}", "", "not an object"),
    (#"{"type":1}"#, "", "not an object"),
    (#"{"type":"run"}"#, "run", "no message of this type"), (#"{"type":"ready"}"#, "ready", "no message of this type"),
    (#"{"type":"hello","version":"1","browser":"firefox"}"#, "hello", "\"version\""),
    (#"{"type":"hello","version":1}"#, "hello", "\"browser\""),
    (#"{"type":"page","key":"7","url":"x"}"#, "page", "\"title\""),
    (#"{"type":"page","key":7,"url":"x","title":"A"}"#, "page", "\"key\""),
    (#"{"type":"page","key":"7","url":"x","title":"A","place":1}"#, "page", "\"place\""),
    (#"{"type":"page","key":"7","url":"x","title":"A","continuation":-1}"#, "page", "\"continuation\""),
    (#"{"type":"moved"}"#, "moved", "\"key\""), (#"{"type":"moved","key":""}"#, "moved", "\"key\""),
    (#"{"type":"place","request":1,"place":{"x":"1"}}"#, "place", "\"place\""),
    (#"{"type":"place","request":1,"place":{"fraction":1.5}}"#, "place", "\"place\""),
    (#"{"type":"place","request":1,"place":{"y":1e30}}"#, "place", "\"place\""),
    (#"{"type":"place","request":1,"place":{"text":1}}"#, "place", "\"place\""),
    (#"{"type":"place","request":1,"place":{"below":-1}}"#, "place", "\"place\""),
    (#"{"type":"opened","continuation":0.5}"#, "opened", "\"continuation\""),
    (#"{"type":"failed","continuation":1}"#, "failed", "\"reason\""),
    (#"{"type":"continue","device":"d"}"#, "continue", "\"activity\""),
  ]) func whatIsNoMessageIsSaid(_ text: String, _ of: String, _ reason: String) throws {
    let failure = try #require(self.failure(text))
    #expect(failure.of == of)
    #expect(failure.reason.contains(reason))
  }

  @Test func attack25_whatIsRefusedIsRepeatedShortAndClean() throws {
    let type = String(repeating: "a\u{202E}", count: 5_000)
    let failure = try #require(self.failure(#"{"type":"\#(type)"}"#))
    #expect(failure.of == String(repeating: "a", count: Limits.titleMaximum))
  }

  @Test func aKeyIsSoLong() {
    let key = String(repeating: "k", count: Limits.browserKey)
    #expect(failure(#"{"type":"left","key":"\#(key)"}"#) == nil)
    #expect(failure(#"{"type":"left","key":"\#(key)k"}"#)?.of == "left")
  }

  @Test func messagesAreCut() throws {
    var reader = NativeMessageReader()
    #expect(reader.next() == nil)
    let bytes = NativeMessageReader.framed("{}") + NativeMessageReader.framed("") + NativeMessageReader.framed("ab")
    for (index, byte) in bytes.enumerated() {
      reader.append([byte])
      switch index {
      case 5: #expect(reader.next() == .whole(Array("{}".utf8)))
      case 9: #expect(reader.next() == .whole([]))
      case 15: #expect(reader.next() == .whole(Array("ab".utf8)))
      default: #expect(reader.next() == nil)
      }
    }
  }

  @Test func attack36_aMessageMayBeSoLongAndNoLonger() throws {
    var reader = NativeMessageReader()
    let longest = String(repeating: "x", count: Limits.browserMessage)
    reader.append(NativeMessageReader.framed(longest)[...])
    #expect(reader.next() == .whole(Array(longest.utf8)))
    // It is known by its length alone, and none of it is kept.
    reader.append(NativeMessageReader.framed(longest + "x")[..<4])
    #expect(reader.next() == .tooLong(Limits.browserMessage + 1))
    #expect(reader.next() == nil)
    reader.append(Array((longest + "x").utf8)[...])
    reader.append((NativeMessageReader.framed("a") + NativeMessageReader.framed(longest + "yz"))[...])
    #expect(reader.next() == .whole([0x61]))
    #expect(reader.next() == .tooLong(Limits.browserMessage + 2))
    reader.append(NativeMessageReader.framed("b")[...])
    #expect(reader.next() == .whole([0x62]))
    #expect(reader.next() == nil)
    var largest = NativeMessageReader()
    largest.append([0xFF, 0xFF, 0xFF, 0xFF])
    #expect(largest.next() == .tooLong(4_294_967_295))
  }
}

@Suite struct PlaceTests {
  @Test func itGoesIntoAnActivityAndBack() throws {
    let place = try #require(
      Place([
        "x": .number(1), "y": .number(-2.5), "fraction": .number(0.5), "text": .string("Eggs"), "below": .number(404),
      ]))
    #expect(
      place.userInfo == [
        .string("scroll-x"): .double(1), .string("scroll-y"): .double(-2.5), .string("fraction"): .double(0.5),
        .string("text"): .string("Eggs"), .string("text-below"): .double(404),
      ])
    #expect(Place(userInfo: place.userInfo) == place)
    #expect(place.json.text == #"{"below":404,"fraction":0.5,"text":"Eggs","x":1,"y":-2.5}"#)
  }

  @Test func ofAnotherApplicationWhatFitsIsTaken() {
    let place = Place(userInfo: [
      .string("scroll-y"): .integer(7), .string("fraction"): .double(2), .string("text"): .data([1]),
      .string("text-below"): .double(-3), .string("other"): .bool(true),
    ])
    #expect(place?.json.text == #"{"y":7}"#)
    #expect(Place(userInfo: [.string("fraction"): .double(.nan)]) == nil)
    #expect(Place(userInfo: [:]) == nil)
  }

  @Test func theTextIsSoLong() {
    let text = String(repeating: "ä", count: Limits.browserText + 1)
    #expect(Place(["text": .string(text)])?.text == String(text.dropFirst()))
    #expect(Place(userInfo: [.string("text"): .string(text)])?.text == String(text.dropFirst()))
  }
}

@Suite struct CallerTests {
  static let manifest = "/usr/lib/mozilla/native-messaging-hosts/org.segue.browser.json"

  @Test func theBrowsersAreKnown() {
    #expect(Browser(startedWith: [Browser.chromiumOrigin]) == .chromium)
    #expect(Browser(startedWith: [Browser.chromiumOrigin, "--parent-window=0"]) == .chromium)
    #expect(Browser(startedWith: [Self.manifest, Browser.firefoxExtension]) == .firefox)
    #expect(Browser.allCases.allSatisfy { AppID($0.appID) != nil && !$0.programs.isEmpty })
  }

  @Test(arguments: [
    [], [""], ["chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh/"],
    ["chrome-extension://nbbjfdlggaeecmhbjlegjnkcigfmcpib"], ["https://nbbjfdlggaeecmhbjlegjnkcigfmcpib/"],
    [manifest], [manifest, "other@segue.org"], [Browser.firefoxExtension], ["", Browser.firefoxExtension],
    [Browser.firefoxExtension, manifest], ["--x", Browser.chromiumOrigin],
  ]) func attack32_nobodyElse(_ arguments: [String]) {
    #expect(Browser(startedWith: arguments) == nil)
  }
}
