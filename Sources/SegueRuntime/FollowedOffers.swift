import SegueBus
import SegueCore

/// The offers that the application may continue, for menus of its own, and its user's choices there: a part of the
/// application. It asks the daemon only after the application has asked for offers.
final class FollowedOffers: @unchecked Sendable {
  private unowned(unsafe) let application: Application
  /// Whether the application has asked for offers.
  private var isWanted = false
  /// The latest list from the daemon.
  private var handles: [OfferHandle] = []
  /// Choices that have not begun, in the order in which they were made.
  private var choices: [Completion] = []

  init(_ application: Application) { self.application = application }

  // MARK: The list

  /// The offers that the application may continue now. The daemon sends them from the first call on, which therefore
  /// gives none.
  func follow() -> [OfferHandle] {
    if !isWanted {
      isWanted = true
      application.later { [self] in ask() }
    }
    return handles
  }

  /// Requests the list anew: when the door has opened, or when the application has asked for the first time.
  func ask() {
    if isWanted { application.registration.door?.followOffers() }
  }

  func came(_ value: BusValue?) {
    do throws(SegueError) {
      tell(try DoorOffers.decode(value, now: Instant.now))
    } catch {
      application.log("the daemon's list of offers was not understood: \(error.message)")
    }
  }

  /// Empties the list: without the daemon no offer can be chosen.
  func doorLost() { tell([]) }

  /// Replaces the list; an offer that looks the same stays the same object.
  private func tell(_ offers: [ListedOffer]) {
    let former = handles
    guard !former.map({ $0.offer }).looksLike(offers) else { return }
    handles = offers.map { offer in
      former.first { $0.offer.looksLike(offer) } ?? OfferHandle(offer, of: application)
    }
    application.delegate.offersChanged?(application)
  }

  // MARK: Choosing

  /// Continues an offer that the user has chosen. `completion` is called once, in a dispatch or while the application
  /// closes: with nil when the application has begun to continue it. If this throws `limitExceeded` or
  /// `invalidArgument`, `completion` is not called.
  func choose(
    _ offer: OfferHandle, activationToken: String?, _ completion: @escaping (SegueError?) -> Void
  ) throws(SegueError) {
    guard activationToken?.utf8.count ?? 0 <= Limits.identifierLength else {
      throw SegueError(
        .limitExceeded, "The activation token is longer than \(Limits.identifierLength) bytes.",
        advice: "Pass it as the desktop gave it, or none.")
    }
    guard choices.count < Limits.choicesPerApplication else {
      throw SegueError(
        .limitExceeded, "\(Limits.choicesPerApplication) choices are under way.", advice: "Wait until they have begun.")
    }
    let choice = Completion(completion)
    choices.append(choice)
    guard let door = application.registration.door else {
      return application.loop.later { [self] in end(choice, Self.daemonGone) }
    }
    door.continueOffer(offer.offer.id, activationToken: activationToken) { [self] error in end(choice, error) }
  }

  private static let daemonGone = SegueError(
    .connectionUnavailable, "The Segue daemon is gone, and its offers with it.",
    advice: "Segue comes back to it by itself; choose again when the offer is there.")

  private func end(_ choice: Completion, _ error: SegueError?) {
    choices.removeAll { $0 === choice }
    choice.call(error)
  }

  /// Called when the application closes: no answer will come.
  func close() {
    handles = []
    let abandoned = choices
    choices = []
    for choice in abandoned { choice.call(Completion.closing(advice: "Choose again when it is running.")) }
  }
}
