import Foundation
import SegueCompatibility

// The listings of Apple's guide to adopting Handoff, by their numbers, as an author has them: docs/from-nsuseractivity.md.
// ListingTests runs them within one process. scripts/test-swift copies them into a program, which runs them between two
// devices (Tests/swift/outside).

let browsing = "com.example.browser.browsing"
let listing = "com.example.mail.reading-list"

/// 2-2, 2-9: a controller makes an activity, is its delegate, and puts it on offer.
final class DocumentController: NSResponder, NSUserActivityDelegate {
  private(set) var saves = 0
  private(set) var activity: NSUserActivity?
  var wasContinued: (() -> Void)?
  private var conversation: Conversation?

  func begin() {
    let activity = NSUserActivity(activityType: browsing)
    activity.title = "Browsing"
    activity.userInfo = ["page": 3]
    activity.supportsContinuationStreams = true
    activity.delegate = self
    activity.becomeCurrent()
    self.activity = activity
  }

  func userActivityWillSave(_ userActivity: NSUserActivity) {
    saves += 1
    userActivity.addUserInfoEntries(from: ["saves": saves])
  }

  func userActivityWasContinued(_ userActivity: NSUserActivity) { wasContinued?() }

  // 2-10: the origin answers over the streams that it is given.
  func userActivity(
    _ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
  ) {
    let conversation = Conversation(inputStream, outputStream)
    conversation.onLine = { [weak conversation] line in conversation?.say("\(line) of page 3") }
    conversation.begin()
    self.conversation = conversation
  }
}

/// 2-10: streams in the run loop, with a delegate; a line each way.
final class Conversation: NSObject, StreamDelegate {
  var onLine: ((String) -> Void)?
  private let input: InputStream
  private let output: OutputStream
  private var read: [UInt8] = []
  private var toWrite: [UInt8] = []

  init(_ input: InputStream, _ output: OutputStream) {
    self.input = input
    self.output = output
  }

  func begin() {
    for stream in [input, output] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func say(_ line: String) {
    toWrite += Array("\(line)\n".utf8)
    write()
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch eventCode {
    case .hasBytesAvailable:
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = input.read(&buffer, maxLength: buffer.count)
      read += buffer[..<max(count, 0)]
      guard let end = read.firstIndex(of: UInt8(ascii: "\n")) else { return }
      onLine?(String(decoding: read[..<end], as: UTF8.self))
      read = Array(read[(end + 1)...])
    case .hasSpaceAvailable: write()
    case .endEncountered, .errorOccurred: end()
    default: break
    }
  }

  private func write() {
    guard output.hasSpaceAvailable, !toWrite.isEmpty else { return }
    toWrite.removeFirst(max(output.write(toWrite, maxLength: toWrite.count), 0))
  }

  func end() {
    input.close()
    output.close()
  }
}

/// 2-3, 2-4, 2-5: a list that follows its user.
final class ListController: NSResponder {
  var list = "inbox"
  var position = 0.0
  var didRestore: ((ListController) -> Void)?

  func show(_ name: String) {
    list = name
    if let current = userActivity, current.userInfo?["list"] as? String == name { return }
    userActivity?.invalidate()
    let activity = NSUserActivity(activityType: listing)
    activity.title = name
    activity.addUserInfoEntries(from: ["list": name])
    activity.webpageURL = URL(string: "https://mail.example.com/\(name)")
    userActivity = activity
  }

  override func updateUserActivityState(_ userActivity: NSUserActivity) {
    super.updateUserActivityState(userActivity)
    userActivity.title = "Reading \(list)"
    userActivity.addUserInfoEntries(from: ["list": list, "position": position])
  }

  override func restoreUserActivityState(_ userActivity: NSUserActivity) {
    super.restoreUserActivityState(userActivity)
    list = userActivity.userInfo?["list"] as? String ?? list
    position = userActivity.userInfo?["position"] as? Double ?? position
    didRestore?(self)
  }
}

/// 2-6: the application's delegate continues an activity, and hands its window's controller to the restoration handler.
final class Delegate: NSApplicationDelegate {
  let controller = ListController()
  private(set) var failures = 0
  var onAnswer: ((String) -> Void)?
  private var conversation: Conversation?

  func application(_ application: NSApplication, willContinueUserActivityWithType userActivityType: String) -> Bool {
    userActivityType == listing
  }

  func application(
    _ application: NSApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping @MainActor ([any NSUserActivityRestoring]) -> Void
  ) -> Bool {
    switch userActivity.activityType {
    case listing: restorationHandler([controller])
    case browsing: ask(userActivity)
    default: return false
    }
    return true
  }

  // 2-10: the device that goes on asks for streams.
  private func ask(_ userActivity: NSUserActivity) {
    userActivity.getContinuationStreams { [unowned self] input, output, error in
      guard let input, let output else { return onAnswer?("\(error, default: "no error")") ?? () }
      let conversation = Conversation(input, output)
      conversation.onLine = { [unowned self] line in
        onAnswer?(line)
        self.conversation?.end()
      }
      conversation.begin()
      conversation.say("draft")
      self.conversation = conversation
    }
  }

  func application(
    _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
  ) {
    if (error as? CocoaError)?.code != .userCancelled { failures += 1 }
  }
}

/// 2-6 as UIKit has it since iOS 26: the scene's delegate.
final class SceneDelegate: UIWindowSceneDelegate {
  let controller = ListController()
  private(set) var last: String?
  var willContinue: ((String) -> Void)?

  func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) {
    last = userActivityType
    willContinue?(userActivityType)
  }
  func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
    last = userActivity.activityType
    controller.restoreUserActivityState(userActivity)
  }
  func scene(_ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error) {
    last = nil
  }
}
