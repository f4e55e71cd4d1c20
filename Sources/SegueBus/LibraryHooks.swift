import CDBus
import SegueCore

/// The services that a connection or server of libdbus needs of its main loop: watches, timeouts, and a call for work.
///
/// libdbus toggles its watches and has several for one descriptor; the loop merges them. These handlers dispatch no
/// messages, which libdbus forbids in them: `worked` is called after them.
final class LibraryHooks {
  private let loop: EventLoop
  private var watches: [OpaquePointer: LoopWatch] = [:]
  private var timeouts: [OpaquePointer: LoopTimer] = [:]
  /// Called when a watch or a timeout was handled. The owner's close clears it, which breaks the reference cycle.
  var worked: (() -> Void)?
  /// Called when there are messages to dispatch, from inside libdbus, and only where `worked` does not follow.
  var isWaiting: (() -> Void)?
  /// For a server: called with its socket before libdbus accepts from it. If false, the server pauses for a while.
  var mayAccept: ((Int32) -> Bool)?
  private var isHandling = false

  init(loop: EventLoop) { self.loop = loop }

  /// Lets libdbus use the loop for a connection. False where memory ran out.
  func attach(connection: OpaquePointer) -> Bool {
    let watching = dbus_connection_set_watch_functions(
      connection, { LibraryHooks.add($0, $1) }, { LibraryHooks.remove($0, $1) }, { LibraryHooks.toggle($0, $1) },
      retained(), { LibraryHooks.release($0) })
    let timing = dbus_connection_set_timeout_functions(
      connection, { LibraryHooks.addTimeout($0, $1) }, { LibraryHooks.removeTimeout($0, $1) },
      { LibraryHooks.toggleTimeout($0, $1) }, retained(), { LibraryHooks.release($0) })
    dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, data in
        guard status == DBUS_DISPATCH_DATA_REMAINS, let hooks = LibraryHooks.from(data) else { return }
        if !hooks.isHandling { hooks.isWaiting?() }
      }, retained(), { LibraryHooks.release($0) })
    return watching != 0 && timing != 0
  }

  /// Lets libdbus use the loop for a server. False where memory ran out.
  func attach(server: OpaquePointer) -> Bool {
    let watching = dbus_server_set_watch_functions(
      server, { LibraryHooks.add($0, $1) }, { LibraryHooks.remove($0, $1) }, { LibraryHooks.toggle($0, $1) },
      retained(), { LibraryHooks.release($0) })
    let timing = dbus_server_set_timeout_functions(
      server, { LibraryHooks.addTimeout($0, $1) }, { LibraryHooks.removeTimeout($0, $1) },
      { LibraryHooks.toggleTimeout($0, $1) }, retained(), { LibraryHooks.release($0) })
    return watching != 0 && timing != 0
  }

  func detach(connection: OpaquePointer) {
    _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    _ = dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    cancelAll()
  }

  func detach(server: OpaquePointer) {
    _ = dbus_server_set_watch_functions(server, nil, nil, nil, nil, nil)
    _ = dbus_server_set_timeout_functions(server, nil, nil, nil, nil, nil)
    cancelAll()
  }

  private func cancelAll() {
    worked = nil
    isWaiting = nil
    mayAccept = nil
    for (_, watch) in watches { watch.cancel() }
    for (_, timer) in timeouts { timer.cancel() }
    watches = [:]
    timeouts = [:]
  }

  private func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  private static func from(_ data: UnsafeMutableRawPointer?) -> LibraryHooks? {
    data.map { Unmanaged<LibraryHooks>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func release(_ data: UnsafeMutableRawPointer?) {
    if let data { Unmanaged<LibraryHooks>.fromOpaque(data).release() }
  }

  // MARK: Watches

  private static func add(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> dbus_bool_t {
    guard let watch, let hooks = from(data) else { return 0 }
    do throws(SegueError) {
      let descriptor = dbus_watch_get_unix_fd(watch)
      hooks.watches[watch] = try hooks.loop.watch(descriptor, wanted(by: watch)) { events in
        if let mayAccept = hooks.mayAccept, !mayAccept(descriptor) { return hooks.rest(watch) }
        var flags: UInt32 = 0
        if events.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
        if events.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if events.contains(.failed) { flags |= DBUS_WATCH_ERROR.rawValue }
        if events.contains(.hangup) { flags |= DBUS_WATCH_HANGUP.rawValue }
        hooks.isHandling = true
        dbus_watch_handle(watch, flags)
        hooks.isHandling = false
        hooks.worked?()
      }
      return 1
    } catch { return 0 }
  }

  /// Pauses a server's watch: while a client waits that it cannot accept, the loop would call libdbus again and again.
  private func rest(_ watch: OpaquePointer) {
    watches[watch]?.setEvents([])
    loop.timer(after: Limits.acceptPause) { [self] in watches[watch]?.setEvents(Self.wanted(by: watch)) }
  }

  private static func remove(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    guard let watch, let hooks = from(data) else { return }
    hooks.watches.removeValue(forKey: watch)?.cancel()
  }

  private static func toggle(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    guard let watch, let hooks = from(data) else { return }
    hooks.watches[watch]?.setEvents(wanted(by: watch))
  }

  private static func wanted(by watch: OpaquePointer) -> Events {
    guard dbus_watch_get_enabled(watch) != 0 else { return [] }
    let flags = dbus_watch_get_flags(watch)
    var events: Events = []
    if flags & DBUS_WATCH_READABLE.rawValue != 0 { events.insert(.readable) }
    if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events.insert(.writable) }
    return events
  }

  // MARK: Timeouts

  private static func addTimeout(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> dbus_bool_t {
    guard let timeout, let hooks = from(data) else { return 0 }
    hooks.start(timeout)
    return 1
  }

  private static func removeTimeout(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    guard let timeout, let hooks = from(data) else { return }
    hooks.timeouts.removeValue(forKey: timeout)?.cancel()
  }

  private static func toggleTimeout(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    removeTimeout(timeout, data)
    _ = addTimeout(timeout, data)
  }

  /// libdbus's timeouts repeat until they are removed.
  private func start(_ timeout: OpaquePointer) {
    guard dbus_timeout_get_enabled(timeout) != 0 else { return }
    let interval = UInt64(max(1, dbus_timeout_get_interval(timeout)))
    timeouts[timeout] = loop.timer(after: interval) { [self] in
      start(timeout)
      isHandling = true
      dbus_timeout_handle(timeout)
      isHandling = false
      worked?()
    }
  }
}
