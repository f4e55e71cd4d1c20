import CGTK
import Foundation

/// A widget, or another object of GTK's. GTK has a type for each class, and C casts from one to the other; so this does.
struct Widget {
  let raw: UnsafeMutableRawPointer

  init?(_ widget: UnsafeMutablePointer<GtkWidget>?) {
    guard let widget else { return nil }
    raw = UnsafeMutableRawPointer(widget)
  }

  init(_ object: UnsafeMutableRawPointer) { raw = object }

  /// As one of a class whose fields GTK's headers show.
  func cast<Class>(to type: Class.Type) -> UnsafeMutablePointer<Class> { raw.assumingMemoryBound(to: type) }
  /// As one of a class whose fields they do not show.
  var opaque: OpaquePointer { OpaquePointer(raw) }
  var widget: UnsafeMutablePointer<GtkWidget> { cast(to: GtkWidget.self) }

  /// Calls the function whenever the object emits the signal, as long as the object lives.
  /// - Parameter values: how many values the signal has beside the object. The function does not get them.
  @MainActor
  func connect(_ signal: String, values: Int = 0, _ body: @escaping @MainActor () -> Void) {
    let handler: GCallback
    switch values {
    case 0:
      let function: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in call(data) }
      handler = unsafeBitCast(function, to: GCallback.self)
    case 1:
      let function: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in call(data) }
      handler = unsafeBitCast(function, to: GCallback.self)
    default: preconditionFailure("Signals of the outline have at most one value.")
    }
    let data = Unmanaged.passRetained(Handler(body)).toOpaque()
    g_signal_connect_data(
      raw, signal, handler, data, { data, _ in data.map { Unmanaged<Handler>.fromOpaque($0).release() } },
      GConnectFlags(rawValue: 0))
  }
}

extension Widget {
  /// Calls the function with the first file that an application is to open.
  @MainActor
  func connectOpen(_ body: @escaping @MainActor (URL) -> Void) {
    typealias Function =
      @convention(c) (gpointer?, UnsafePointer<OpaquePointer?>?, gint, UnsafePointer<CChar>?, gpointer?) -> Void
    let function: Function = { _, files, count, _, data in
      guard count > 0, let data, let file = files?.pointee, let uri = g_file_get_uri(file) else { return }
      defer { g_free(uri) }
      let handler = Unmanaged<OpenHandler>.fromOpaque(data).takeUnretainedValue()
      guard let url = URL(string: String(cString: uri)) else { return }
      MainActor.assumeIsolated { handler.body(url) }
    }
    g_signal_connect_data(
      raw, "open", unsafeBitCast(function, to: GCallback.self),
      Unmanaged.passRetained(OpenHandler(body)).toOpaque(),
      { data, _ in data.map { Unmanaged<OpenHandler>.fromOpaque($0).release() } }, GConnectFlags(rawValue: 0))
  }
}

private final class OpenHandler: Sendable {
  let body: @MainActor (URL) -> Void
  init(_ body: @escaping @MainActor (URL) -> Void) { self.body = body }
}

/// The function of a signal, which C keeps.
private final class Handler: Sendable {
  let body: @MainActor () -> Void
  init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}

/// GTK emits signals on the main thread.
private func call(_ data: gpointer?) {
  guard let data else { return }
  let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
  MainActor.assumeIsolated { handler.body() }
}

/// Calls the function whenever the descriptor can be read, in GLib's main loop.
@MainActor
func watch(_ descriptor: Int32, _ body: @escaping @MainActor () -> Void) {
  g_unix_fd_add(
    descriptor, G_IO_IN,
    { _, _, data in
      call(data)
      return 1
    }, Unmanaged.passRetained(Handler(body)).toOpaque())
}
