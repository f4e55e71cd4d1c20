import CSegueLibrary
import Foundation

/// An activity that the application may continue: of another device, or of another application of this one.
@MainActor
public final class Offer: Identifiable {
  private let application: Application
  private nonisolated let pointer: Pointer

  /// The same text for the same activity of the same device, in each list.
  public nonisolated var id: String { borrowed(segue_offer_get_id(pointer.raw)) }
  /// The type of the activity.
  public nonisolated var activityType: String { borrowed(segue_offer_get_activity_type(pointer.raw)) }
  /// Fit to be shown on one line; empty where there is none.
  public nonisolated var title: String { borrowed(segue_offer_get_title(pointer.raw)) }
  /// The host of its web page; empty where there is none.
  public nonisolated var webHost: String { borrowed(segue_offer_get_web_host(pointer.raw)) }
  /// The id of the application that it is of: that of its desktop file.
  public nonisolated var applicationID: String { borrowed(segue_offer_get_app_id(pointer.raw)) }
  /// That application's name, for a person.
  public nonisolated var applicationName: String { borrowed(segue_offer_get_app_name(pointer.raw)) }
  /// The same text for everything that comes from one device.
  public nonisolated var deviceID: String { borrowed(segue_offer_get_device_id(pointer.raw)) }
  /// The name of the device that it comes from.
  public nonisolated var deviceName: String { borrowed(segue_offer_get_device_name(pointer.raw)) }
  /// Whether another application of this device has it open.
  public nonisolated var isHere: Bool { segue_offer_is_here(pointer.raw) }
  /// Whether its state is as it was last saved, since the application or the device has gone.
  public nonisolated var isStored: Bool { segue_offer_is_stored(pointer.raw) }
  /// How long this device has known it.
  public nonisolated var age: Duration {
    .milliseconds(Int64(clamping: read(0) { segue_offer_get_age(pointer.raw, $0) }))
  }

  init(owning raw: OpaquePointer, in application: Application) {
    pointer = Pointer(raw)
    self.application = application
  }

  deinit { segue_offer_unref(pointer.raw) }

  /// The user has chosen it: `onWillContinue` comes, and this returns then, or throws the reason why it will not.
  /// A task that is cancelled waits no longer; the continuation goes on.
  /// - Parameter activationToken: with which a window may take the focus, if the application has one.
  public func continueHere(activationToken: String? = nil) async throws {
    try await Waiting<Void>.result { waiting in
      _ = try application.raw()
      _ = try withOptionalText(activationToken) {
        try check(segue_offer_continue(pointer.raw, $0, completed, retained(waiting), release))
      }
    }
  }
}

extension Application {
  /// The offers that the application may continue now, those of other devices first. Set `onOffersChange` to be told when
  /// they change: until it is set, the list begins empty.
  public var offers: [Offer] {
    guard let raw = try? raw() else { return [] }
    var (offers, count): (UnsafeMutablePointer<OpaquePointer>?, Int) = (nil, 0)
    guard segue_application_copy_offers(raw, &offers, &count) == 0, let offers else { return [] }
    defer { segue_free(offers) }
    return UnsafeBufferPointer(start: offers, count: count).map { Offer(owning: $0, in: self) }
  }

  /// Deletes the stored copies of activities with these persistent identifiers.
  public func deleteSavedActivities(_ identifiers: [String]) async throws {
    try await Waiting<Void>.result { waiting in
      let raw = try raw()
      _ = try withTexts(identifiers) {
        try check(segue_application_delete_saved(raw, $0, $1, completed, retained(waiting), release))
      }
    }
  }

  /// The same for all stored copies of the application.
  public func deleteAllSavedActivities() async throws {
    try await Waiting<Void>.result { waiting in
      try check(segue_application_delete_all_saved(raw(), completed, retained(waiting), release))
    }
  }
}

private let completed: @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
  object($2, as: Waiting<Void>.self)?.end($1) {}
}
