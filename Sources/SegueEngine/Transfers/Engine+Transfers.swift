import SegueCore

// What is on its way, for user interfaces, and the user's word that it stop.

extension Engine {
  /// The files that are brought here and from here, and the streams; in the order in which they began.
  public var transfers: [Transfer] {
    let wanted = files.wantedInOrder.compactMap { id in files.wanted(id).map { transfer(id, $0) } }
    let given = files.givenInOrder.compactMap { id in files.given(id).map { transfer(id, $0) } }
    let open = streams.inOrder.compactMap { id in streams[id].map { transfer(id, $0) } }
    return wanted + given + open
  }

  private func transfer(_ id: FileID, _ file: Files.Wanted) -> Transfer {
    let state: Transfer.State =
      switch file.stage {
      case .waiting: .waiting
      case .asked: .asked
      case .coming: .open
      case .interrupted: .interrupted
      }
    var row = transfer(.file(id), isIncoming: true, file.device, file.session, state)
    row.name = Self.shownName(of: file.request.url)
    (row.done, row.size) = (file.done, file.size)
    return row
  }

  private func transfer(_ id: FileID, _ file: Files.Given) -> Transfer {
    var row = transfer(.file(id), isIncoming: false, file.device, file.session, file.isOpen ? .open : .asked)
    row.name = Self.shownName(of: file.url)
    (row.done, row.size) = (file.done, file.size)
    return row
  }

  private func transfer(_ id: StreamID, _ stream: Streams.Stream) -> Transfer {
    let isIncoming = if case .device = stream.other { true } else { false }
    return transfer(
      .stream(id), isIncoming: isIncoming, stream.device, stream.session, stream.stage == .open ? .open : .asked)
  }

  private func transfer(
    _ id: Transfer.ID, isIncoming: Bool, _ device: DeviceID?, _ session: SessionID, _ state: Transfer.State
  ) -> Transfer {
    let appID = sessions[session]?.appID
    return Transfer(
      id: id, isIncoming: isIncoming, device: device, deviceName: device.map { devices.name(of: $0) } ?? "",
      appID: appID, appName: appID.map { catalog.name(of: $0) } ?? "", state: state)
  }

  private static func shownName(of url: String) -> String? {
    FileURL(url).map {
      DisplayText.clean($0.path.parts(at: "/").last ?? "", maximum: Limits.titleAdvised)
    }
  }

  /// The continuations that are on their way, in the order in which they were chosen.
  public var continuationsOnTheirWay: [ContinuationOnItsWay] {
    continuations.inOrder.map { continuation in
      let device = continuation.source.device ?? devices.own
      return ContinuationOnItsWay(
        id: continuation.id, activity: continuation.offer.id, device: device, deviceName: devices.name(of: device),
        appName: continuation.application?.name ?? "")
    }
  }

  // MARK: Stopping

  mutating func stop(_ id: Transfer.ID, _ request: RequestID) {
    let error = SegueError(.userCancelled, "The user has stopped it.")
    switch id {
    case .file(let number) where files.wanted(number) != nil: endFile(number, error)
    case .file(let number) where files.given(number) != nil: endGiven(number, error)
    case .stream(let number) where streams[number] != nil: endStream(number, error)
    case .file, .stream:
      return turn.emit(
        .reply(
          request,
          .failed(
            SegueError(
              .notFound, "There is no such transfer any more.", advice: "List them with: segue transfers"))))
    }
    turn.emit(.reply(request, .done))
  }

  /// Cancels a continuation, as another choice would. An application that has the state already restores it.
  mutating func cancel(_ id: Identifier, _ request: RequestID) {
    guard let continuation = continuations[id] else {
      return turn.emit(
        .reply(request, .failed(SegueError(.notFound, "There is no such continuation on its way any more."))))
    }
    guard continuation.machine.canBeCancelled else {
      return turn.emit(
        .reply(
          request,
          .failed(SegueError(.invalidArgument, "The application has the state already, and restores it."))))
    }
    turn.post(.continuation(id, .stopped))
    turn.emit(.reply(request, .done))
  }
}
