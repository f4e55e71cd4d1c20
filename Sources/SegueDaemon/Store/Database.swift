import CSQLite
import Glibc

/// A connection to a SQLite database: statements and transactions. Not thread-safe; every call may block on the disk.
///
/// The distribution's SQLite by its own interface: a Swift library around it would bring all of Foundation into a
/// daemon that is to be small.
final class Database {
  enum Value: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
  }

  struct Failure: Error {
    /// SQLite's primary result code.
    let code: Int32
    let message: String

    /// The file is no database, or a damaged one.
    var isDamage: Bool { code == SQLITE_NOTADB || code == SQLITE_CORRUPT }

    /// The disk has no room, or takes nothing.
    var isRefusedChange: Bool { [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY].contains(code) }
  }

  private let handle: OpaquePointer

  /// Opens the file, which must exist. Throws what the first statement finds as well.
  init(_ path: String) throws(Failure) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else { throw Failure(code: SQLITE_NOMEM, message: "out of memory") }
    guard code == SQLITE_OK else {
      let failure = Self.failure(of: opened)
      sqlite3_close_v2(opened)
      throw failure
    }
    handle = opened
    // Another process that has the file open does not delay the daemon for long.
    sqlite3_busy_timeout(handle, 1_000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs one statement; its rows.
  @discardableResult
  func run(_ sql: String, _ values: [Value] = []) throws(Failure) -> [[Value]] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let statement = prepared else {
      throw Self.failure(of: handle)
    }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      guard Self.bind(value, statement, Int32(clamping: index + 1)) == SQLITE_OK else {
        throw Self.failure(of: handle)
      }
    }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(statement)).map { Self.column($0, of: statement) })
      case SQLITE_DONE:
        return rows
      default:
        throw Self.failure(of: handle)
      }
    }
  }

  /// How many rows were added, changed or removed since the connection was opened.
  var changes: Int32 { sqlite3_total_changes(handle) }

  /// All of it, or nothing.
  func transaction<T>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    try run("BEGIN IMMEDIATE")
    do throws(Failure) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // SQLite has done it already after some errors, and says so by one more.
      _ = try? run("ROLLBACK")
      throw error
    }
  }

  private static func bind(_ value: Value, _ statement: OpaquePointer, _ index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
    case .text(let text):
      var text = text
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          segue_sqlite_bind_text(statement, index, $0.baseAddress, Int32(clamping: $0.count))
        }
      }
    case .blob(let bytes):
      return bytes.withUnsafeBytes {
        segue_sqlite_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
  }

  private static func column(_ index: Int32, of statement: OpaquePointer) -> Value {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_TEXT:
      guard let text = sqlite3_column_text(statement, index) else { return .null }
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, index)))
      return .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      guard let bytes = sqlite3_column_blob(statement, index) else { return .blob([]) }
      return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, index)))))
    default: return .null
    }
  }

  private static func failure(of handle: OpaquePointer) -> Failure {
    let code = sqlite3_extended_errcode(handle)
    return Failure(code: code & 0xff, message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown error")
  }
}

extension Database.Value {
  static func text(_ text: String?) -> Database.Value { text.map { .text($0) } ?? .null }

  /// Larger than SQLite's integers is nothing that is counted here.
  static func integer(_ number: UInt64) -> Database.Value { .integer(Int64(clamping: number)) }

  var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  /// Nil for a negative one.
  var number: UInt64? {
    if case .integer(let integer) = self { return UInt64(exactly: integer) }
    return nil
  }

  var blob: [UInt8]? {
    if case .blob(let bytes) = self { return bytes }
    return nil
  }
}
