import SegueBus
import SegueCore

// What the library asks about an application's documents (semantics R7).

extension Daemon {
  /// Which activity type the application declares for documents of this kind, and which container the file lies in: at
  /// once where there are no containers, else later.
  func findDocument(
    _ url: BusValue?, _ mimeType: BusValue?, of application: Registration, _ invocation: Invocation
  ) throws(SegueError) {
    guard let url = url?.asString.flatMap({ FileURL($0) }), let mimeType = mimeType?.asString.flatMap({ MIMEType($0) })
    else {
      throw SegueError(.invalidArgument, "A document has a file's URL and a MIME type.")
    }
    var place: [(String, BusValue)] = []
    if let type = registry.application(application.appID)?.documentTypes[mimeType] {
      place.append(("activity-type", .string(type.string)))
    }
    guard !containers.table.containers.isEmpty else { return invocation.reply([.dictionary(BusDictionary(place))]) }
    // Whichever is first: the file system, or the end of the time for it.
    let silent = SegueError(.system, "The file system of \(DisplayText.clean(url.path)) did not answer.")
    let timer = loop.timer(after: Limits.containerNameTime) { invocation.fail(silent) }
    let table = containers.table
    let isAccepted = originFiles.run({ ContainerFinder(table).find(url.path)?.container.id }) { container in
      timer.cancel()
      guard !invocation.hasAnswer else { return }
      if let container { place.append(("container", .string(container))) }
      invocation.reply([.dictionary(BusDictionary(place))])
    }
    guard isAccepted else {
      timer.cancel()
      throw silent
    }
  }

  /// Containers have changed, or the declarations of these applications: they ask again.
  func documentsChanged(of applications: Set<AppID>? = nil) {
    for session in sessions.values {
      guard let id = session.application?.appID, applications?.contains(id) ?? true else { continue }
      let call = Message.call(
        destination: nil, path: SegueAddress.doorApplicationPath, interface: SegueAddress.doorApplicationInterface,
        member: MemberName(constant: "DocumentsChanged"))
      session.connection.call(call, timeout: Limits.busTime) { _ in }
    }
  }
}
