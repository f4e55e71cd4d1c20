import SegueCore

// The link of an activity's page, for a phone: no other program takes the state (docs/sending.md).

extension Engine {
  /// Asks the application for the page of its activity, as it is now. `activity`: nil for the newest one that has a page.
  mutating func page(of activity: Identifier?, by request: RequestID) {
    do throws(SegueError) {
      guard sharing.pause == nil else {
        throw SegueError(
          .accessDenied, "Segue is paused on this device: nothing is sent.", advice: "Go on with: segue resume")
      }
      let offers = ownOffers(at: turn.moment).filter { !sharing.withholds($0.appID) && !$0.appID.isDirected }
      guard
        let offer = offers.first(where: { offer in
          activity.map { $0 == offer.id } ?? (offer.webHost != nil)
        }), let entry = origin.local.entries[offer.id]
      else {
        throw activity == nil
          ? SegueError(.notFound, "Nothing on this device is on offer that has a page.", advice: Self.pageAdvice)
          : SegueError(
            .notFound, "This activity is not on offer, so its page cannot be sent.",
            advice: "List what there is with: segue activities")
      }
      guard offer.webHost != nil else {
        throw SegueError(
          .invalidArgument, "This activity has no page whose link could be sent.", advice: Self.pageAdvice)
      }
      try providePage(entry, to: request)
    } catch {
      turn.emit(.reply(request, .failed(error)))
    }
  }

  static let pageAdvice = "A phone gets the link of a page or a film; send other things to a device."

  /// The application's answer.
  mutating func pageAnswered(_ request: RequestID, _ answer: FetchAnswer) {
    switch answer {
    case .failure(let error): turn.emit(.reply(request, .failed(error)))
    case .snapshot(let snapshot):
      guard let url = snapshot.webpageURL.flatMap({ WebURL($0) }), url.scheme.isSame(as: "https") else {
        let error = SegueError(
          .invalidArgument, "The page's address is not an https link, so no phone is sent it.", advice: Self.pageAdvice)
        return turn.emit(.reply(request, .failed(error)))
      }
      turn.emit(.reply(request, .page(url)))
    }
  }
}
