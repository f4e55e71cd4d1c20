import SegueBus
import SegueCore

/// What the application may continue, for menus of its own, and the choices that its user makes there: a part of the
/// application. Nothing is asked of the daemon before somebody asks here.
final class FollowedOffers: @unchecked Sendable {
  private unowned(unsafe) let application: Application
  /// Somebody has asked.
  private var isWanted = false
  /// What the daemon has told of last.
  private var handles: [OfferHandle] = []
  /// Choices that have not begun, in the order in which they were made.
  private var choices: [Completion] = []

  init(_ application: Application) { self.application = application }

  // MARK: The list

  /// What the application may continue now; from the first call on the daemon tells of it, so that that one gives none.
  func follow() -> [OfferHandle] {
    if !isWanted {
      isWanted = true
      application.later { [self] in ask() }
    }
    return handles
  }

  /// The door is open, or somebody has asked for the first time: the list comes anew.
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

  /// Without the daemon nothing can be chosen.
  func doorLost() { tell([]) }

  /// Puts a list in the place of the former, of which what looks the same stays the same object.
  private func tell(_ offers: [ListedOffer]) {
    let former = handles
    guard !former.map({ $0.offer }).looksLike(offers) else { return }
    handles = offers.map { offer in
      former.first { $0.offer.looksLike(offer) } ?? OfferHandle(offer, of: application)
    }
    application.delegate.offersChanged?(application)
  }

  // MARK: Choosing

  /// The user has chosen an offer. `completion` is called once, in a dispatch or while the application closes: with nil
  /// when the application has begun to continue it. Throws `limitExceeded` and `invalidArgument`, and `completion` is
  /// not called.
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

  /// The application closes: nobody will answer.
  func close() {
    handles = []
    let abandoned = choices
    choices = []
    for choice in abandoned { choice.call(Completion.closing(advice: "Choose again when it runs.")) }
  }
}
