import SegueBus
import SegueCore

// What the application may continue, for menus of its own, and the choices that its user makes there.

/// The offers that the daemon has told of last. Nothing is asked of the daemon before somebody asks here.
struct FollowedOffers {
  /// Somebody has asked.
  private(set) var isWanted = false
  private(set) var handles: [OfferHandle] = []

  /// True the first time.
  mutating func want() -> Bool {
    defer { isWanted = true }
    return !isWanted
  }

  /// Puts a list in the place of the former, of which what looks the same stays the same object. True if it is another.
  mutating func replace(with offers: [ListedOffer], of application: Application) -> Bool {
    let former = handles
    guard !former.map({ $0.offer }).looksLike(offers) else { return false }
    handles = offers.map { offer in
      former.first { $0.offer.looksLike(offer) } ?? OfferHandle(offer, of: application)
    }
    return true
  }

  mutating func clear() { handles = [] }
}

/// A choice that the user has made in a window of the application, until it has begun.
final class OfferChoice {
  private var completion: ((SegueError?) -> Void)?

  fileprivate init(_ completion: @escaping (SegueError?) -> Void) { self.completion = completion }

  /// Calls the completion, the first time.
  fileprivate func end(_ error: SegueError?) {
    let completion = completion
    self.completion = nil
    completion?(error)
  }
}

extension Application {
  // MARK: The list

  /// What the application may continue now; from the first call on the daemon tells of it, so that that one gives none.
  public func followOffers() -> [OfferHandle] {
    if followed.want() { later { [self] in sendFollow() } }
    return followed.handles
  }

  /// The door is open, or somebody has asked for the first time: the list comes anew.
  func sendFollow() {
    if followed.isWanted { door?.followOffers() }
  }

  func offersCame(_ value: BusValue?) {
    do throws(SegueError) {
      tellOffers(try DoorOffers.decode(value, now: Instant.now))
    } catch {
      log("the daemon's list of offers was not understood: \(error.message)")
    }
  }

  /// Without the daemon nothing can be chosen.
  func offersWereLost() { tellOffers([]) }

  private func tellOffers(_ offers: [ListedOffer]) {
    if followed.replace(with: offers, of: self) { delegate.offersChanged?(self) }
  }

  // MARK: Choosing

  /// The user has chosen an offer. `completion` is called once, in a dispatch or while the application closes: with nil
  /// when the application has begun to continue it. Throws `limitExceeded` and `invalidArgument`, and `completion` is
  /// not called.
  public func choose(
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
    let choice = OfferChoice(completion)
    choices.append(choice)
    guard let door else { return loop.later { [self] in end(choice, Self.daemonGone) } }
    door.continueOffer(offer.offer.id, activationToken: activationToken) { [self] error in end(choice, error) }
  }

  private static let daemonGone = SegueError(
    .connectionUnavailable, "The Segue daemon is gone, and its offers with it.",
    advice: "Segue comes back to it by itself; choose again when the offer is there.")

  private func end(_ choice: OfferChoice, _ error: SegueError?) {
    choices.removeAll { $0 === choice }
    choice.end(error)
  }

  /// The application closes: nobody will answer.
  func abandonOffers() {
    followed.clear()
    let abandoned = choices
    choices = []
    let error = SegueError(
      .connectionUnavailable, "The application closed before the Segue daemon had answered.",
      advice: "Choose again when it runs.")
    for choice in abandoned { choice.end(error) }
  }
}
