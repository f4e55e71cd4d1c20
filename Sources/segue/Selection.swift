import SegueControl
import SegueCore

/// Which offer or device the user means.
enum Selection {
  /// The offer whose id is, or begins with, `text`.
  static func offer(_ text: String, among offers: [ShownOffer]) throws(SegueError) -> ShownOffer {
    guard let start = IDStart(text) else {
      throw SegueError(
        .invalidArgument, "At least \(IDStart.shortest) digits of an id are needed.", advice: "Give more digits.")
    }
    let found = offers.filter { start.fits($0.id) }
    guard let offer = found.first else {
      throw SegueError(
        .notFound, "Nothing on offer has an id that begins with \(text).", advice: "`segue activities` lists the ids.")
    }
    // An activity on offer and its own stored copy are one.
    let ids = Set(found.map { $0.id })
    guard ids.count == 1 else {
      throw SegueError(
        .invalidArgument, "\(ids.count) activities have ids that begin with \(text).", advice: "Give more digits.")
    }
    return offer
  }

  /// The newest offer of another device that an application here can continue. The daemon lists the newest first.
  static func latest(of offers: [ShownOffer]) throws(SegueError) -> ShownOffer {
    let others = offers.filter { !$0.isHere }
    guard let newest = others.first(where: { $0.isContinuable }) else {
      guard let refused = others.first else { throw nothing }
      throw SegueError(
        .noApplication, "No application here can continue what the other devices offer.",
        advice: "The newest is of \(refused.application). `segue activities` lists them all.")
    }
    return newest
  }

  /// The one offer there is.
  static func only(of offers: [ShownOffer]) throws(SegueError) -> ShownOffer {
    guard let offer = offers.first else { throw nothing }
    guard offers.count == 1 else {
      throw SegueError(
        .invalidArgument, "There are \(offers.count) activities to continue.",
        advice: "Give the id of one (`segue activities` lists them), or --latest.")
    }
    return offer
  }

  /// The device whose name or id is `text`, or whose id begins with it.
  static func device(_ text: String, among devices: [Device]) throws(SegueError) -> Device {
    let found = IDStart.devices(text, among: devices, name: \.name, id: \.id)
    guard let device = found.first else {
      throw SegueError(
        .notFound, "No paired device is called \(text), or has an id that begins so.",
        advice: "`segue devices` lists them.")
    }
    guard found.count == 1 else {
      throw SegueError(
        .invalidArgument, "\(found.count) devices fit \(text).",
        advice: "Give the start of an id: \(found.map { $0.shortID }.joined(separator: ", or ")).")
    }
    return device
  }

  private static var nothing: SegueError {
    SegueError(.notFound, "No other device offers anything.", advice: "`segue devices` shows whether one is online.")
  }
}
