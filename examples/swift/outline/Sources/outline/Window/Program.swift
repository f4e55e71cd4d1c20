import CGTK
import Foundation
import Segue

/// The window face: an application of GTK 4, whose main loop is GLib's.
@MainActor
final class Program: Face {
  private let application: UnsafeMutablePointer<GtkApplication>
  private var window: OutlineWindow?
  private var isActivated = false
  private var isHeld = false

  init() throws {
    guard let made = gtk_application_new(Controller.id, G_APPLICATION_HANDLES_OPEN) else {
      throw CocoaError(.featureUnsupported)
    }
    application = made
  }

  /// Runs until the last window is closed. Returns the status to exit with.
  func run() throws -> Int32 {
    let controller = try Controller(face: self)
    let gtk = Widget(UnsafeMutableRawPointer(application))
    gtk.connect("activate") { [unowned self] in activate(controller) }
    gtk.connectOpen { [unowned self] in open($0, controller) }
    // The library's descriptor, and that of the main queue, on which the main actor's tasks are.
    watch(try controller.application.descriptor) { _ = try? controller.application.dispatch() }
    if let queue = MainQueue.descriptor { watch(queue) { MainQueue.drain() } }
    hold(true)
    let status = g_application_run(
      gtk.cast(to: GApplication.self), CommandLine.argc, CommandLine.unsafeArgv)
    controller.application.close()
    return status
  }

  func say(_ line: String) {
    writeLine(line)
    if !line.hasPrefix("state: ") { window?.say(line) }
  }

  func show(_ controller: Controller) {
    if window == nil {
      window = OutlineWindow(in: application, controller)
      window?.onClose { [weak self] in self?.window = nil }
    }
    window?.show()
    window?.present()
    hold(false)
  }

  /// Keeps GTK from ending the program while there is no window yet.
  private func hold(_ holds: Bool) {
    guard holds != isHeld else { return }
    isHeld = holds
    let application = Widget(UnsafeMutableRawPointer(application)).cast(to: GApplication.self)
    if holds { g_application_hold(application) } else { g_application_release(application) }
  }

  func settled(_ controller: Controller) {
    guard !controller.isComing else { return hold(true) }
    if isActivated { activate(controller) }
    hold(false)
  }

  /// The user has started the program, perhaps once more. The bus may have started it for an activity of another device at
  /// the same time: that brings its own window, and an empty one beside it would be one too many.
  private func activate(_ controller: Controller) {
    guard window == nil else { return window?.present() ?? () }
    isActivated = true
    guard controller.isSettled, !controller.isComing else { return }
    do {
      try controller.write(["Milk", "Bread", "Apples"], title: "Shopping")
    } catch {
      say("error: \(error)")
    }
    show(controller)
  }

  private func open(_ url: URL, _ controller: Controller) {
    do {
      try controller.open(url)
    } catch {
      say("error: \(error)")
    }
    show(controller)
  }
}
