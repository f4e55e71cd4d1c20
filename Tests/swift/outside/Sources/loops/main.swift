import CGLib
import Dispatch
import Foundation
import Segue

// Runs an application in one of the main loops: dispatch, foundation or glib. It ends with 0 when a callback of the
// library has come there, and a task of the main actor has gone on after it.

@MainActor
final class Run {
  let application: Application
  /// This program drains the main queue itself.
  private var isDrained = false

  init() throws { application = try Application(id: "org.segue.test.Loops", busAddress: "unix:path=/nonexistent") }

  func begin() {
    application.onStateChange = { [self] state, _ in
      guard state == .lost else { return }
      Task {
        await Task.yield()
        try await Task.sleep(for: .milliseconds(1))
        let activity = try UserActivity(type: "org.segue.test.loops", in: application)
        try activity.becomeCurrent()
        // In GLib's loop, which would never sleep again.
        guard !isDrained || !queueIsReadable else {
          print("the main queue is drained, and its descriptor readable")
          exit(1)
        }
        print(activity.isCurrent ? "went on" : "is not current")
        exit(activity.isCurrent ? 0 : 1)
      }
    }
  }

  private var queueIsReadable: Bool {
    var readable = pollfd(fd: MainQueue.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    return poll(&readable, 1, 0) == 1
  }

  func inDispatch() throws -> Never {
    try application.start()
    dispatchMain()
  }

  func inFoundation() throws { try application.run() }

  /// The library's descriptor, and that of the main queue, on which the main actor's tasks are.
  func inGLib() throws {
    isDrained = true
    let loop = g_main_loop_new(nil, 0)
    let context = Unmanaged.passUnretained(application).toOpaque()
    g_unix_fd_add(
      try application.descriptor, G_IO_IN,
      { _, _, application in
        MainActor.assumeIsolated {
          _ = application.map { try? Unmanaged<Application>.fromOpaque($0).takeUnretainedValue().dispatch() }
        }
        return 1
      }, context)
    if let queue = MainQueue.descriptor {
      g_unix_fd_add(
        queue, G_IO_IN,
        { _, _, _ in
          MainActor.assumeIsolated { MainQueue.drain() }
          return 1
        }, nil)
    }
    g_main_loop_run(loop)
  }
}

do {
  let run = try Run()
  run.begin()
  switch CommandLine.arguments.dropFirst().first {
  case "dispatch": try run.inDispatch()
  case "foundation": try run.inFoundation()
  case "glib": try run.inGLib()
  default: print("loops dispatch | foundation | glib")
  }
} catch {
  print("error: \(error)")
}
exit(2)
