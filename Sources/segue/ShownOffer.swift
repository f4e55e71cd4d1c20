import SegueControl
import SegueCore

/// An offer, or an activity of this device, as a listing shows it. An absent attribute is empty. Its texts, which another
/// device chose, are made fit to be shown on one line.
struct ShownOffer: Equatable {
  let id: String
  /// The activity's title; without one, the application's name.
  let title: String
  /// The application's name, as well as it is known here.
  let application: String
  /// Where it would go on here.
  let place: String
  /// The device that it comes from.
  let device: String
  /// That device's id; empty where it is not said, as for stored copies of this one.
  let deviceID: String
  /// Whether it is of this device itself.
  let isHere: Bool
  /// Whether an application here can continue it, or a browser opens its page.
  let isContinuable: Bool
  /// Whether the activity is kept from other devices.
  let isWithheld: Bool
  /// Milliseconds since it was offered.
  let age: UInt64
  /// Its application has ended, or its device is not there: it is as it was last saved.
  let isStored: Bool
  /// What to know of its file before it is chosen; empty: nothing.
  let file: String

  init(_ row: OfferRow) {
    let device = row.deviceName.isEmpty ? Device.shorten(row.deviceID) : row.deviceName
    // The user who continues it is told that later changes are not in it.
    let since = row.storedAge.map { "as it was \(Age.text($0)) ago" } ?? "as last saved"
    self.init(
      id: row.id, title: row.title, appID: row.appID, appName: row.appName, device: row.isHere ? nil : device,
      deviceID: row.deviceID,
      browserHost: row.isForBrowser ? row.webHost : nil, isContinuable: !row.localApp.isEmpty, age: row.age,
      saved: row.isStored && !row.isHere ? since : nil, file: row.fileSentence)
  }

  init(_ row: ActivityRow) {
    self.init(
      id: row.id, title: row.title, appID: row.appID, appName: row.appName, device: "", isWithheld: row.isWithheld)
  }

  init(_ row: StoredRow) {
    self.init(
      id: row.id, title: row.title, appID: row.appID, appName: row.appName,
      device: row.isHere ? nil : row.deviceName.isEmpty ? Device.shorten(row.deviceID) : row.deviceName, age: row.age)
  }

  /// `device` is nil for this one; `browserHost`: the host of the page that a browser opens if no application continues
  /// it; `saved`: the moment of the state, if that is not the current one.
  private init(
    id: String, title: String?, appID: String, appName: String, device: String?, deviceID: String = "",
    browserHost: String? = nil, isContinuable: Bool = false,
    isWithheld: Bool = false, age: UInt64 = 0, saved: String? = nil, file: String? = nil
  ) {
    self.id = DisplayText.clean(id)
    application = DisplayText.clean(appName.isEmpty ? appID : appName)
    let title = DisplayText.clean(title ?? "")
    self.title = title.isEmpty ? application : title
    let page = browserHost.map { "web browser, " + DisplayText.clean($0) }
    place = page ?? (isContinuable ? application : application + " (not installed)")
    isHere = device == nil
    let name = DisplayText.clean(device ?? "this device")
    self.device = saved.map { "\(name) (\($0))" } ?? name
    self.deviceID = DisplayText.clean(deviceID)
    self.isContinuable = isContinuable || page != nil
    self.isWithheld = isWithheld
    self.age = age
    isStored = saved != nil
    self.file = DisplayText.clean(file ?? "")
  }

  /// Eight digits, of which the first four are enough where no other begins with them.
  var shortID: String { String(id.prefix(8)) }
}
