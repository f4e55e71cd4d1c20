import SegueBus
import SegueCore

/// The attributes that an application sets on an activity.
public struct ActivityAttributes: Sendable {
  public internal(set) var title: String?
  public internal(set) var webpageURL: String?
  public internal(set) var referrerURL: String?
  public internal(set) var userInfo: [Value: Value] = [:]
  /// The keys of userInfo without which the activity cannot be restored; nil: every key (semantics C5).
  public internal(set) var requiredKeys: [String]?
  public internal(set) var keywords: [String] = []
  /// Which window the activity goes to (semantics V9).
  public internal(set) var targetContentIdentifier: String?
  /// The name by which stored copies are found and deleted (semantics C13).
  public internal(set) var persistentIdentifier: String?
  /// Seconds since 1970; nil: never.
  public internal(set) var expirationDate: Double?
  public internal(set) var isEligible = true
  public internal(set) var isEligibleForSearch = false
  public internal(set) var isEligibleForPublicIndexing = false
  public internal(set) var isEligibleForPrediction = false
  /// Whether its state is stored for this application's own return (semantics C17).
  public internal(set) var isEligibleForRestoration = false
  /// Whether the last snapshot may be kept (semantics X7).
  public internal(set) var allowsSnapshot = false
  /// Whether the application that continues it may ask for streams (semantics T1).
  public internal(set) var supportsStreams = false

  /// Whether the application that continues it may bring the files that userInfo names.
  public internal(set) var allowsFiles = false

  /// The entries of userInfo that a stored copy holds (semantics C5).
  var userInfoToStore: [Value: Value] {
    guard let requiredKeys else { return webpageURL == nil ? userInfo : [:] }
    var stored: [Value: Value] = [:]
    for key in requiredKeys { stored[.string(key)] = userInfo[.string(key)] }
    return stored
  }
}

// Setters: any thread. All throw `invalidated` on an activity that has ended (semantics C11).

extension Activity {
  /// Throws `limitExceeded` over 512 bytes.
  public func setTitle(_ title: String?) throws(SegueError) {
    try check(title, Limits.titleMaximum, "A title")
    try change { $0.title.replace(by: title) }
    application.offering.mayHaveChanged()
  }

  /// Throws `invalidArgument` for a URL that no browser would be asked to open (semantics C8), `limitExceeded` for one
  /// that is too long.
  public func setWebpageURL(_ url: String?) throws(SegueError) {
    if let url { try WebURL.check(url, "A webpage URL") }
    try change { $0.webpageURL.replace(by: url) }
    application.offering.mayHaveChanged()
  }

  /// Throws as `setWebpageURL` does. It stays with the object.
  public func setReferrerURL(_ url: String?) throws(SegueError) {
    if let url { try WebURL.check(url, "A referrer URL") }
    try change { attributes in
      attributes.referrerURL = url
      return false
    }
  }

  public func setUserInfo(_ entries: [Value: Value]) throws(SegueError) {
    try UserInfo.check(entries)
    try changeUserInfo { $0.replace(by: entries) }
  }

  /// Adds entries; on a clash the new value wins (semantics C4).
  public func addUserInfo(_ entries: [Value: Value]) throws(SegueError) {
    try UserInfo.check(entries)
    try changeUserInfo { userInfo throws(SegueError) in try userInfo.add(entries: entries) }
  }

  /// Removes an entry; false where there is none.
  public func removeUserInfo(_ key: Value) throws(SegueError) -> Bool {
    var wasThere = false
    try changeUserInfo { userInfo in
      wasThere = userInfo.removeValue(forKey: key) != nil
      return wasThere
    }
    return wasThere
  }

  /// Changes the state; `body` returns whether anything has changed. Another file is a change of the offer, too.
  private func changeUserInfo(_ body: (inout [Value: Value]) throws(SegueError) -> Bool) throws(SegueError) {
    var isOtherFile = false
    try change { attributes throws(SegueError) in
      let before = FileURL.keyOfFile(in: attributes.userInfo, type).flatMap { attributes.userInfo[$0] }
      guard try body(&attributes.userInfo) else { return false }
      let after = FileURL.keyOfFile(in: attributes.userInfo, type).flatMap { attributes.userInfo[$0] }
      isOtherFile = before != after
      return true
    }
    if isOtherFile { application.offering.mayHaveChanged() }
  }

  /// Nil: every key is required.
  public func setRequiredKeys(_ keys: [String]?) throws(SegueError) {
    try check(keys ?? [], Limits.requiredKeys, "An activity has at most \(Limits.requiredKeys) required keys")
    try change { $0.requiredKeys.replace(by: keys) }
  }

  public func setKeywords(_ keywords: [String]) throws(SegueError) {
    try check(keywords, Limits.keywords, "An activity has at most \(Limits.keywords) keywords")
    try change { $0.keywords.replace(by: keywords) }
  }

  /// Names a window, which is no change of the state and no reason to save (semantics C14).
  public func setTargetContentIdentifier(_ identifier: String?) throws(SegueError) {
    try check(identifier, Limits.identifierLength, "A target content identifier")
    try change { attributes in
      attributes.targetContentIdentifier = identifier
      return false
    }
  }

  public func setPersistentIdentifier(_ identifier: String?) throws(SegueError) {
    try check(identifier, Limits.identifierLength, "A persistent identifier")
    try change { $0.persistentIdentifier.replace(by: identifier) }
  }

  public func setEligible(_ eligible: Bool) throws(SegueError) {
    try changeOffer { $0.isEligible = eligible }
  }

  public func setEligibleForSearch(_ eligible: Bool) throws(SegueError) {
    try changeOffer { $0.isEligibleForSearch = eligible }
  }

  public func setEligibleForPublicIndexing(_ eligible: Bool) throws(SegueError) {
    try changeOffer { $0.isEligibleForPublicIndexing = eligible }
  }

  public func setEligibleForPrediction(_ eligible: Bool) throws(SegueError) {
    try changeOffer { $0.isEligibleForPrediction = eligible }
  }

  public func setEligibleForRestoration(_ eligible: Bool) throws(SegueError) {
    try changeOffer { $0.isEligibleForRestoration = eligible }
  }

  public func setAllowsSnapshot(_ allowed: Bool) throws(SegueError) {
    try changeOffer { $0.allowsSnapshot = allowed }
  }

  public func setSupportsStreams(_ supported: Bool) throws(SegueError) {
    try change { attributes in
      attributes.supportsStreams = supported
      return false
    }
  }

  /// The offer only says so: the permission is checked for each file.
  public func setAllowsFiles(_ allowed: Bool) throws(SegueError) {
    try changeOffer { $0.allowsFiles = allowed }
  }

  /// Changes an attribute that is part of the offer, and not of the state.
  private func changeOffer(_ body: (inout ActivityAttributes) -> Void) throws(SegueError) {
    try change { attributes in
      body(&attributes)
      return false
    }
    application.offering.mayHaveChanged()
  }

  private func check(_ text: String?, _ limit: Int, _ what: String) throws(SegueError) {
    guard (text?.utf8.count ?? 0) <= limit else {
      throw SegueError(.limitExceeded, "\(what) has at most \(limit) bytes.")
    }
  }

  private func check(_ texts: [String], _ limit: Int, _ sentence: String) throws(SegueError) {
    guard texts.count <= limit, texts.allSatisfy({ $0.utf8.count <= Limits.keyLength }) else {
      throw SegueError(.limitExceeded, "\(sentence), of \(Limits.keyLength) bytes each.")
    }
  }
}

extension Equatable {
  /// Replaces the value; returns whether the new one differs.
  fileprivate mutating func replace(by new: Self) -> Bool {
    guard self != new else { return false }
    self = new
    return true
  }
}
