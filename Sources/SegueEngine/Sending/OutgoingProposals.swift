import SegueCore

/// The proposals that this device's user makes to other devices, until each is answered.
///
/// A device says with its list of offers which kinds of proposals it takes. A proposal to a device that is linked and
/// has not sent its list yet waits for that.
struct OutgoingProposals {
  /// The result of a proposal, if the device has not taken it.
  enum Failure: Equatable {
    /// The device takes no proposals of this kind: its Segue is older.
    case notKnownThere
    case refused(SegueError.Code)
    case unanswered
    /// The link has ended before the answer.
    case lost
    /// Too many wait for the device's answer.
    case tooMany
  }

  struct Waiting: Equatable {
    let proposal: Proposal
    let device: DeviceID
    /// The call to reply to; nil: a surface of the desktop, which shows no outcome.
    let request: RequestID?
    let until: Instant
    /// Whether the device has been sent it; otherwise it waits for the device's list.
    var isSent = false
  }

  enum Event {
    case begin(Proposal, to: DeviceID, by: RequestID?)
    /// The device has sent its list.
    case heard(DeviceID, takes: [Proposal.Kind])
    case answered(ProposalAnswer, by: DeviceID)
    /// The link to the device has ended, or another one has begun.
    case lost(DeviceID)
    case time
  }

  enum Effect: Equatable {
    case send(Proposal, to: DeviceID)
    /// It is over; nil: the device has taken it.
    case end(Waiting, Failure?)
  }

  private var waiting: [Waiting] = []
  /// The kinds that each linked device takes, as far as it has said.
  private var taken: [DeviceID: [Proposal.Kind]] = [:]

  /// When the next proposal is not waited for any longer.
  var next: Instant? { waiting.map { $0.until }.min() }

  /// The kinds of proposals that the device takes; nil while it has not said.
  func kinds(of device: DeviceID) -> [Proposal.Kind]? { taken[device] }

  mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    switch event {
    case .begin(let proposal, let device, let request):
      let new = Waiting(proposal: proposal, device: device, request: request, until: now + Limits.proposalTime)
      guard waiting.count(where: { $0.device == device }) < Limits.proposalsWaiting else {
        return [.end(new, .tooMany)]
      }
      waiting.append(new)
      return advance(device)
    case .heard(let device, let kinds):
      taken[device] = kinds
      return advance(device)
    case .answered(let answer, let device):
      let place = waiting.firstIndex { $0.device == device && $0.isSent && $0.proposal.id == answer.proposal }
      guard let place else { return [] }
      return [.end(waiting.remove(at: place), answer.refusal.map { .refused($0) })]
    case .lost(let device):
      taken[device] = nil
      return end(.lost) { $0.device == device }
    case .time: return end(.unanswered) { $0.until <= now }
    }
  }

  /// Sends what waits for the device's list, if that has come.
  private mutating func advance(_ device: DeviceID) -> [Effect] {
    guard let kinds = taken[device] else { return [] }
    var effects = end(.notKnownThere) { $0.device == device && !$0.isSent && !kinds.contains($0.proposal.content.kind) }
    for place in waiting.indices where waiting[place].device == device && !waiting[place].isSent {
      waiting[place].isSent = true
      effects.append(.send(waiting[place].proposal, to: device))
    }
    return effects
  }

  private mutating func end(_ failure: Failure, where isOver: (Waiting) -> Bool) -> [Effect] {
    let over = waiting.filter(isOver)
    waiting.removeAll(where: isOver)
    return over.map { .end($0, failure) }
  }
}
