import Segue

/// Applications without a bus: everything but other devices works.
@MainActor
func newApplication(_ id: String = "org.segue.test.Swift") throws -> Application {
  try Application(id: id, busAddress: "unix:path=/nonexistent")
}

let type = "org.segue.test.swift"
