import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/activity.h: what an activity is called, where it may go, and for how long.

public typealias OutText = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
public typealias OutTexts = UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>?>
public typealias Texts = UnsafePointer<UnsafePointer<CChar>>?

// MARK: Text

private func set(
  _ activity: UnsafeMutablePointer<segue_activity>, _ text: UnsafePointer<CChar>?,
  _ setter: (Activity, String?) throws(SegueError) -> Void
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    try setter(activity, try optionalText(text))
    return 0
  }
}

private func copy(
  _ activity: UnsafePointer<segue_activity>, _ out: OutText, _ getter: (ActivityAttributes) -> String?
) -> Int32 {
  guard !isMissing(out) else { return -EINVAL }
  return with(activity, .anyThread) {
    out.pointee = getter($0.attributes).map { CText.copy($0) }
    return 0
  }
}

@c @implementation public func segue_activity_set_title(
  _ activity: UnsafeMutablePointer<segue_activity>, _ title: UnsafePointer<CChar>?
) -> Int32 { set(activity, title) { activity, text throws(SegueError) in try activity.setTitle(text) } }

@c @implementation public func segue_activity_copy_title(
  _ activity: UnsafePointer<segue_activity>, _ out_title: OutText
) -> Int32 { copy(activity, out_title) { $0.title } }

@c @implementation public func segue_activity_set_webpage_url(
  _ activity: UnsafeMutablePointer<segue_activity>, _ url: UnsafePointer<CChar>?
) -> Int32 { set(activity, url) { activity, text throws(SegueError) in try activity.setWebpageURL(text) } }

@c @implementation public func segue_activity_copy_webpage_url(
  _ activity: UnsafePointer<segue_activity>, _ out_url: OutText
) -> Int32 { copy(activity, out_url) { $0.webpageURL } }

@c @implementation public func segue_activity_set_referrer_url(
  _ activity: UnsafeMutablePointer<segue_activity>, _ url: UnsafePointer<CChar>?
) -> Int32 { set(activity, url) { activity, text throws(SegueError) in try activity.setReferrerURL(text) } }

@c @implementation public func segue_activity_copy_referrer_url(
  _ activity: UnsafePointer<segue_activity>, _ out_url: OutText
) -> Int32 { copy(activity, out_url) { $0.referrerURL } }

@c @implementation public func segue_activity_set_target_content_identifier(
  _ activity: UnsafeMutablePointer<segue_activity>, _ identifier: UnsafePointer<CChar>?
) -> Int32 {
  set(activity, identifier) { activity, text throws(SegueError) in try activity.setTargetContentIdentifier(text) }
}

@c @implementation public func segue_activity_copy_target_content_identifier(
  _ activity: UnsafePointer<segue_activity>, _ out_identifier: OutText
) -> Int32 { copy(activity, out_identifier) { $0.targetContentIdentifier } }

@c @implementation public func segue_activity_set_persistent_identifier(
  _ activity: UnsafeMutablePointer<segue_activity>, _ identifier: UnsafePointer<CChar>?
) -> Int32 {
  set(activity, identifier) { activity, text throws(SegueError) in try activity.setPersistentIdentifier(text) }
}

@c @implementation public func segue_activity_copy_persistent_identifier(
  _ activity: UnsafePointer<segue_activity>, _ out_identifier: OutText
) -> Int32 { copy(activity, out_identifier) { $0.persistentIdentifier } }

// MARK: Lists of text

private func copy(
  _ activity: UnsafePointer<segue_activity>, _ out: OutTexts, _ out_count: UnsafeMutablePointer<Int>,
  _ getter: (ActivityAttributes) -> [String]?
) -> Int32 {
  guard !isMissing(out), !isMissing(out_count) else { return -EINVAL }
  return with(activity, .anyThread) {
    let texts = getter($0.attributes)
    out.pointee = texts.map { CText.copy($0) }
    out_count.pointee = texts?.count ?? 0
    return 0
  }
}

@c @implementation public func segue_activity_set_keywords(
  _ activity: UnsafeMutablePointer<segue_activity>, _ keywords: Texts, _ count: Int
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    try activity.setKeywords(try texts(keywords, count, maximum: Limits.keywords))
    return 0
  }
}

@c @implementation public func segue_activity_copy_keywords(
  _ activity: UnsafePointer<segue_activity>, _ out_keywords: OutTexts, _ out_count: UnsafeMutablePointer<Int>
) -> Int32 { copy(activity, out_keywords, out_count) { $0.keywords.isEmpty ? nil : $0.keywords } }

@c @implementation public func segue_activity_set_required_keys(
  _ activity: UnsafeMutablePointer<segue_activity>, _ keys: Texts, _ count: Int
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    let texts = try texts(keys, count, maximum: Limits.requiredKeys)
    try activity.setRequiredKeys(keys == nil ? nil : texts)
    return 0
  }
}

@c @implementation public func segue_activity_copy_required_keys(
  _ activity: UnsafePointer<segue_activity>, _ out_keys: OutTexts, _ out_count: UnsafeMutablePointer<Int>
) -> Int32 { copy(activity, out_keys, out_count) { $0.requiredKeys } }

// MARK: The expiration date

@c @implementation public func segue_activity_set_expiration_date(
  _ activity: UnsafeMutablePointer<segue_activity>, _ seconds: Double
) -> Int32 {
  guard !seconds.isNaN else { return -EINVAL }
  return with(activity, .anyThread) { activity throws(SegueError) in
    try activity.setExpirationDate(seconds == .infinity ? nil : seconds)
    return 0
  }
}

@c @implementation public func segue_activity_get_expiration_date(
  _ activity: UnsafePointer<segue_activity>, _ out_seconds: UnsafeMutablePointer<Double>
) -> Int32 {
  guard !isMissing(out_seconds) else { return -EINVAL }
  return with(activity, .anyThread) {
    out_seconds.pointee = $0.attributes.expirationDate ?? .infinity
    return 0
  }
}

// MARK: Where it may go

private func set(
  _ activity: UnsafeMutablePointer<segue_activity>, _ flag: Bool,
  _ setter: (Activity, Bool) throws(SegueError) -> Void
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    try setter(activity, flag)
    return 0
  }
}

private func get(_ activity: UnsafePointer<segue_activity>, _ getter: (ActivityAttributes) -> Bool) -> Bool {
  predicate(activity) { getter($0.attributes) }
}

@c @implementation public func segue_activity_set_eligible_for_handoff(
  _ activity: UnsafeMutablePointer<segue_activity>, _ eligible: Bool
) -> Int32 { set(activity, eligible) { activity, flag throws(SegueError) in try activity.setEligible(flag) } }

@c @implementation public func segue_activity_is_eligible_for_handoff(
  _ activity: UnsafePointer<segue_activity>
) -> Bool {
  get(activity) { $0.isEligible }
}

@c @implementation public func segue_activity_set_eligible_for_search(
  _ activity: UnsafeMutablePointer<segue_activity>, _ eligible: Bool
) -> Int32 { set(activity, eligible) { activity, flag throws(SegueError) in try activity.setEligibleForSearch(flag) } }

@c @implementation public func segue_activity_is_eligible_for_search(_ activity: UnsafePointer<segue_activity>) -> Bool
{
  get(activity) { $0.isEligibleForSearch }
}

@c @implementation public func segue_activity_set_eligible_for_public_indexing(
  _ activity: UnsafeMutablePointer<segue_activity>, _ eligible: Bool
) -> Int32 {
  set(activity, eligible) { activity, flag throws(SegueError) in try activity.setEligibleForPublicIndexing(flag) }
}

@c @implementation public func segue_activity_is_eligible_for_public_indexing(
  _ activity: UnsafePointer<segue_activity>
) -> Bool {
  get(activity) { $0.isEligibleForPublicIndexing }
}

@c @implementation public func segue_activity_set_eligible_for_prediction(
  _ activity: UnsafeMutablePointer<segue_activity>, _ eligible: Bool
) -> Int32 {
  set(activity, eligible) { activity, flag throws(SegueError) in try activity.setEligibleForPrediction(flag) }
}

@c @implementation public func segue_activity_is_eligible_for_prediction(
  _ activity: UnsafePointer<segue_activity>
) -> Bool {
  get(activity) { $0.isEligibleForPrediction }
}

@c @implementation public func segue_activity_set_eligible_for_restoration(
  _ activity: UnsafeMutablePointer<segue_activity>, _ eligible: Bool
) -> Int32 {
  set(activity, eligible) { activity, flag throws(SegueError) in try activity.setEligibleForRestoration(flag) }
}

@c @implementation public func segue_activity_is_eligible_for_restoration(
  _ activity: UnsafePointer<segue_activity>
) -> Bool { get(activity) { $0.isEligibleForRestoration } }

@c @implementation public func segue_activity_set_allows_snapshot(
  _ activity: UnsafeMutablePointer<segue_activity>, _ allowed: Bool
) -> Int32 { set(activity, allowed) { activity, flag throws(SegueError) in try activity.setAllowsSnapshot(flag) } }

@c @implementation public func segue_activity_set_supports_continuation_streams(
  _ activity: UnsafeMutablePointer<segue_activity>, _ supported: Bool
) -> Int32 { set(activity, supported) { activity, flag throws(SegueError) in try activity.setSupportsStreams(flag) } }

@c @implementation public func segue_activity_supports_continuation_streams(
  _ activity: UnsafePointer<segue_activity>
) -> Bool { get(activity) { $0.supportsStreams } }

@c @implementation public func segue_activity_allows_files(_ activity: UnsafePointer<segue_activity>) -> Bool {
  get(activity) { $0.allowsFiles }
}

@c @implementation public func segue_activity_set_allows_files(
  _ activity: UnsafeMutablePointer<segue_activity>, _ allowed: Bool
) -> Int32 { set(activity, allowed) { activity, flag throws(SegueError) in try activity.setAllowsFiles(flag) } }

@c @implementation public func segue_activity_allows_snapshot(_ activity: UnsafePointer<segue_activity>) -> Bool {
  get(activity) { $0.allowsSnapshot }
}
