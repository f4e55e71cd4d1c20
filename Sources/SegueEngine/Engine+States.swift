import SegueCore

// The states that an application has stored for its own return: after a crash, or after a new login (semantics C17).

extension Engine {
  /// The application asks for a state that it stored in an earlier run: the latest one that fits, or the one before the
  /// state that it was given last. Nothing of another application is ever given, nor what another process of the same
  /// one has stored that still runs. This is no continuation: no origin is told.
  mutating func lastState(
    _ query: StateQuery, of application: DoorSessions.Application, _ session: SessionID, _ request: RequestID
  ) {
    guard copies.isLoaded else {
      let error = SegueError(.system, "The store has not been read yet.", advice: "Ask again in a moment.")
      return turn.emit(.reply(request, .failed(error)))
    }
    let found = states(of: application, session).filter { copy in
      (query.type ?? copy.offer.type) == copy.offer.type
        && (query.targetContentIdentifier ?? copy.targetContentIdentifier) == copy.targetContentIdentifier
    }
    let index = query.after.map { after in (found.firstIndex { $0.offer.id == after } ?? found.endIndex) + 1 } ?? 0
    guard index < found.count else { return turn.emit(.reply(request, .state(nil))) }
    do throws(SegueError) {
      try copies.states.asks(session)
    } catch {
      return turn.emit(.reply(request, .failed(error)))
    }
    let key = found[index].key
    copies.ask(.snapshot(key), for: .state(key, request, session), &turn)
  }

  /// The application's states that this process of it may have, the latest first.
  private func states(of application: DoorSessions.Application, _ session: SessionID) -> [StoredCopy] {
    let now = turn.moment.seconds
    return copies.states { copy in
      guard copy.device == nil, copy.offer.appID == application.appID else { return false }
      guard copy.offer.tier <= application.tier, copy.isComing || copy.life(at: now) > 0 else { return false }
      let owner = copies.states.session(of: copy.offer.id)
      return owner == nil || owner == session || sessions[owner ?? 0] == nil
    }.sorted { one, other in
      if one.isComing != other.isComing { return one.isComing }
      if one.storedAt != other.storedAt { return one.storedAt > other.storedAt }
      let (number, otherNumber) = (
        copies.states.number(of: one.offer.id), copies.states.number(of: other.offer.id)
      )
      return number == otherNumber ? one.key < other.key : number > otherNumber
    }
  }

  /// The store has read the state; nil: it is gone.
  mutating func read(
    _ snapshot: Snapshot?, _ key: StoredCopy.Key, for session: SessionID, _ request: RequestID
  ) {
    copies.states.answered(session)
    guard let snapshot, let copy = copies.table[key] else { return turn.emit(.reply(request, .state(nil))) }
    let timeLeft = copy.traits.expires ? copy.life(at: turn.moment.seconds) &* 1000 : nil
    turn.emit(
      .reply(request, .state(StoredState(snapshot, copy.traits, version: copy.offer.version, timeLeft: timeLeft))))
  }

  /// The application has ended the activity for good, in this process or in an earlier one: what its window showed is
  /// not to come back. `id`: of the activity that was stored.
  mutating func forgetState(_ id: Identifier, of appID: AppID, _ session: SessionID) {
    if let owner = copies.states.session(of: id), owner != session, sessions[owner] != nil { return }
    forget(
      copies.keys { copy in
        copy.kind == .restoration && copy.device == nil && copy.offer.id == id && copy.offer.appID == appID
      })
  }
}

extension StoredCopy {
  /// Whether the store has not confirmed it yet.
  fileprivate var isComing: Bool { expiresAt == 0 }
}
