import SegueCore

// Links that the user follows on this device: which application opens each, and why others do not (semantics W5).

extension Engine {
  /// Hands a link to the application that claims its domain. The reply names that application, or says that there is
  /// none, so that a browser has to open the link.
  ///
  /// Following a link is no choice of an offer: it cancels no continuation, and no choice cancels it. A link in a
  /// browser goes to an application only if the user wants that for all links.
  mutating func open(_ link: WebLink, _ token: String?, isInBrowser: Bool, _ request: RequestID) {
    let isFull = continuations.inOrder.count { $0.isLink } >= Limits.linksOpened
    let isWanted = !isInBrowser || catalog.opensLinks
    guard !isFull, isWanted, let application = catalog.match(link, at: turn.moment).preferred else {
      return turn.emit(.reply(request, .link(nil)))
    }
    let continuation = RunningContinuation(
      id: settings.makeIdentifier(), ticket: settings.makeIdentifier(),
      offer: link.offer(settings.makeIdentifier(), in: application), source: .link(link.url),
      application: application, activationToken: token, times: settings.times, at: turn.moment)
    continuations.add(continuation)
    turn.emit(.reply(request, .link(application.appID)))
    turn.post(.continuation(continuation.id, .chosen))
  }

  /// A row for each application that claims the link's host.
  public func explain(_ link: WebLink, at moment: Moment) -> [Explanation] {
    let match = catalog.match(link, at: moment)
    return match.candidates.map { application in
      let isFirst = application == match.preferred
      return Explanation(application).because(
        isFirst, isFirst ? "opens-link" : "other-opens-link",
        isFirst
          ? "\(application.name) opens this link."
          : "\(application.name) could open it, and \(match.preferred?.name ?? "") comes first.", application)
    } + match.refusals.map { Explanation($0.application).because(false, $0.reason.word, $0.sentence, $0.application) }
  }

  /// The claims of applications here on domains for links, a row for each, with what is known of the domain.
  public func linkClaims(at moment: Moment) -> [WebLinkClaim] { catalog.linkClaims(at: moment) }
}

extension Explanation {
  fileprivate init(_ application: InstalledApplication) {
    self.init(appID: application.appID, appName: application.name)
  }
}

extension RunningContinuation {
  /// Whether the continuation is a link that was followed here, and so comes from no device.
  var isLink: Bool {
    if case .link = source { return true }
    return false
  }
}
