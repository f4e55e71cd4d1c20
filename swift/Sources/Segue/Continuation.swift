import CSegueLibrary
import Foundation

/// The facts about an activity that is coming, and about where it comes from: a value, as it stood when it was asked for.
public struct Continuation: Sendable, Hashable, Identifiable {
  /// As `segue watch` shows it.
  public let id: UUID
  /// The type of the activity.
  public let activityType: String
  /// Empty where there is none.
  public let title: String
  /// The name of the device that it comes from.
  public let deviceName: String
  /// The token with which a window may take the focus (xdg-activation); empty where there is none.
  public let activationToken: String
  /// Whether the state was saved earlier, since its application or its device has gone.
  public let isStored: Bool
  /// How long ago the state was saved; nil while that is not known.
  public let age: Duration?
  /// The time until `onFail` is called at the latest.
  public let timeLeft: Duration

  init(_ raw: OpaquePointer) {
    id = UUID(uuid: readBytes { segue_continuation_get_id(raw, $0) })
    activityType = borrowed(segue_continuation_get_activity_type(raw))
    title = borrowed(segue_continuation_get_title(raw))
    deviceName = borrowed(segue_continuation_get_device_name(raw))
    activationToken = borrowed(segue_continuation_get_activation_token(raw))
    isStored = segue_continuation_is_stored(raw)
    var age: UInt64 = 0
    self.age = segue_continuation_get_age(raw, &age) == 0 ? .milliseconds(Int64(clamping: age)) : nil
    timeLeft = .milliseconds(Int64(clamping: read(0) { segue_continuation_get_time_left(raw, $0) }))
  }
}
