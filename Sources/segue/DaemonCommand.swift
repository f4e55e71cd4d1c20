import ArgumentParser

/// A command that needs the daemon.
protocol DaemonCommand: FailingCommand {
  func run(_ daemon: DaemonClient) throws(CommandFailure)
}

extension DaemonCommand {
  func perform() throws(CommandFailure) {
    let daemon = try DaemonClient.open()
    defer { daemon.close() }
    try run(daemon)
  }
}
