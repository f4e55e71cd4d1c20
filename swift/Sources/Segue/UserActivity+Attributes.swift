import CSegueLibrary
import Foundation

/// Attributes that the user sees, and those that say what may be done with an activity. A value that the library refuses changes nothing, and
/// the log says why; `set(_:to:)` throws it.
extension UserActivity {
  /// Up to 512 bytes; nil: the application's name is shown.
  public var title: String? {
    get { takeText { segue_activity_copy_title(pointer.raw, $0) } }
    set { assign("title") { try setText(newValue, segue_activity_set_title) } }
  }

  /// The web page that shows the same, http or https: a browser opens it where the application does not take the activity.
  public var webpageURL: URL? {
    get { takeText { segue_activity_copy_webpage_url(pointer.raw, $0) }.flatMap { URL(string: $0) } }
    set { assign("webpageURL") { try setText(newValue?.absoluteString, segue_activity_set_webpage_url) } }
  }

  /// The web page that led the user to `webpageURL`. It stays with this object.
  public var referrerURL: URL? {
    get { takeText { segue_activity_copy_referrer_url(pointer.raw, $0) }.flatMap { URL(string: $0) } }
    set { assign("referrerURL") { try setText(newValue?.absoluteString, segue_activity_set_referrer_url) } }
  }

  /// The window that the activity goes to.
  public var targetContentIdentifier: String? {
    get { takeText { segue_activity_copy_target_content_identifier(pointer.raw, $0) } }
    set {
      assign("targetContentIdentifier") { try setText(newValue, segue_activity_set_target_content_identifier) }
    }
  }

  /// The name of what it shows, the same whenever it is shown; it does not leave this device.
  public var persistentIdentifier: String? {
    get { takeText { segue_activity_copy_persistent_identifier(pointer.raw, $0) } }
    set { assign("persistentIdentifier") { try setText(newValue, segue_activity_set_persistent_identifier) } }
  }

  /// The words by which a stored copy is found, at most 64.
  public var keywords: Set<String> {
    get { Set(takeTexts { segue_activity_copy_keywords(pointer.raw, $0, $1) } ?? []) }
    set {
      assign("keywords") {
        _ = try withTexts(newValue.sorted()) { try check(segue_activity_set_keywords(pointer.raw, $0, $1)) }
      }
    }
  }

  /// Which entries of userInfo a stored copy needs; nil: all, or none where there is a web page.
  public var requiredUserInfoKeys: Set<String>? {
    get { takeTexts { segue_activity_copy_required_keys(pointer.raw, $0, $1) }.map { Set($0) } }
    set {
      assign("requiredUserInfoKeys") {
        guard let newValue else {
          try check(segue_activity_set_required_keys(pointer.raw, nil, 0))
          return
        }
        guard !newValue.isEmpty else {
          // Not NULL, and none.
          try withText("") { text in
            var keys = [text]
            try check(segue_activity_set_required_keys(pointer.raw, &keys, 0))
          }
          return
        }
        _ = try withTexts(newValue.sorted()) { try check(segue_activity_set_required_keys(pointer.raw, $0, $1)) }
      }
    }
  }

  /// When its offer ends and stored copies are removed; nil: never.
  public var expirationDate: Date? {
    get {
      let seconds = read(Double.infinity) { segue_activity_get_expiration_date(pointer.raw, $0) }
      return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil
    }
    set {
      assign("expirationDate") {
        try check(segue_activity_set_expiration_date(pointer.raw, newValue?.timeIntervalSince1970 ?? .infinity))
      }
    }
  }

  /// Whether other devices may be offered it: true at first.
  public var isEligibleForHandoff: Bool {
    get { segue_activity_is_eligible_for_handoff(pointer.raw) }
    set { assign("isEligibleForHandoff") { try check(segue_activity_set_eligible_for_handoff(pointer.raw, newValue)) } }
  }

  /// Whether a copy is stored so that the user can search for it on this device: false at first.
  public var isEligibleForSearch: Bool {
    get { segue_activity_is_eligible_for_search(pointer.raw) }
    set { assign("isEligibleForSearch") { try check(segue_activity_set_eligible_for_search(pointer.raw, newValue)) } }
  }

  /// Whether its content is public, for programs that index it: false at first.
  public var isEligibleForPublicIndexing: Bool {
    get { segue_activity_is_eligible_for_public_indexing(pointer.raw) }
    set {
      assign("isEligibleForPublicIndexing") {
        try check(segue_activity_set_eligible_for_public_indexing(pointer.raw, newValue))
      }
    }
  }

  /// Whether the user may be reminded of it at a fitting time: false at first.
  public var isEligibleForPrediction: Bool {
    get { segue_activity_is_eligible_for_prediction(pointer.raw) }
    set {
      assign("isEligibleForPrediction") { try check(segue_activity_set_eligible_for_prediction(pointer.raw, newValue)) }
    }
  }

  /// Whether its last snapshot may be kept, so that it can be continued after the application has gone: false at first.
  public var allowsSnapshot: Bool {
    get { segue_activity_allows_snapshot(pointer.raw) }
    set { assign("allowsSnapshot") { try check(segue_activity_set_allows_snapshot(pointer.raw, newValue)) } }
  }

  /// Whether the application that continues it may ask for streams: false at first.
  public var supportsContinuationStreams: Bool {
    get { segue_activity_supports_continuation_streams(pointer.raw) }
    set {
      assign("supportsContinuationStreams") {
        try check(segue_activity_set_supports_continuation_streams(pointer.raw, newValue))
      }
    }
  }

  /// Whether the application that continues it may bring the files that its userInfo names: false at first.
  public var allowsFiles: Bool {
    get { segue_activity_allows_files(pointer.raw) }
    set { assign("allowsFiles") { try check(segue_activity_set_allows_files(pointer.raw, newValue)) } }
  }

  // MARK: userInfo

  /// The state: never absent, at first empty. Over 100 KiB a continuation fails with
  /// `CocoaError.userActivityHandoffUserInfoTooLarge`.
  public var userInfo: UserInfo {
    get {
      guard let raw = read(nil, { segue_activity_copy_user_info(pointer.raw, $0) }) else { return UserInfo() }
      return CValue(owning: raw).with { UserInfo(Value(reading: $0).dictionary ?? [:]) }
    }
    set { assign("userInfo") { try setUserInfo(newValue) } }
  }

  /// Replaces userInfo. Throws, with the key path, where it is past a limit or a value cannot travel.
  public func setUserInfo(_ info: UserInfo) throws {
    _ = try CValue.make(.dictionary(info.entries)).with { try check(segue_activity_set_user_info(pointer.raw, $0)) }
  }

  /// Adds entries; where a key exists already, the new value wins, the other keys stay.
  public func addUserInfoEntries(from info: UserInfo) throws {
    _ = try CValue.make(.dictionary(info.entries)).with {
      try check(segue_activity_add_user_info_entries(pointer.raw, $0))
    }
  }

  /// One attribute's value, throwing where the library refuses it: `try activity.set(\.title, to: text)`.
  public func set<T: Equatable>(_ attribute: ReferenceWritableKeyPath<UserActivity, T>, to value: T) throws {
    refusal = nil
    self[keyPath: attribute] = value
    defer { refusal = nil }
    if let refusal { throw refusal }
  }

  func assign(_ name: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      refusal = error
      application.log("\(name) of an activity of type \(type) stays as it was: \(error)")
    }
  }

  private func setText(_ text: String?, _ set: (OpaquePointer, UnsafePointer<CChar>?) -> Int32) throws {
    _ = try withOptionalText(text) { try check(set(pointer.raw, $0)) }
  }
}
