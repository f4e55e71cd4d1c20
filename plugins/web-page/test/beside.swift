// beside PREFIX ID...: an ordinary program in Swift, with Swift's runtime, that hosts several plugins at once which each
// have that of Embedded Swift inside. Every one has the object "page", and keeps what it is told.
import CHost

struct Failure: Error {
  let message: String
}

/// An error of the library as one of Swift.
func check(_ what: String, _ call: (inout OpaquePointer?) -> CInt) throws {
  var error: OpaquePointer?
  defer { _ = segue_error_unref(error) }
  let result = call(&error)
  guard result < 0 else { return }
  throw Failure(message: "\(what): \(error.map { String(cString: segue_error_get_message($0)) } ?? "\(result)")")
}

/// A page of one plugin, and what it was told.
final class Hosted {
  let page: OpaquePointer
  let url: String

  init(_ id: String, application: OpaquePointer, prefix: String, path: String) throws {
    var plugin: OpaquePointer?
    var page: OpaquePointer?
    try check(id) { segue_plugin_load(application, path, prefix, &plugin, &$0) }
    guard let plugin else { throw Failure(message: "\(id): no plugin") }
    defer { _ = segue_plugin_unref(plugin) }
    try check(id) { segue_plugin_object_new(plugin, "page", "\(id).", nil, nil, nil, &page, &$0) }
    guard let page else { throw Failure(message: "\(id): no page") }
    self.page = page
    url = "https://\(id)/page"
  }

  deinit { _ = segue_plugin_object_unref(page) }

  func tell() throws {
    try check(url) { segue_plugin_object_set_string(page, "page.url", url, &$0) }
  }

  func ask() throws {
    var text: UnsafeMutablePointer<CChar>?
    try check(url) { segue_plugin_object_copy_string(page, "page.url", &text, &$0) }
    defer { segue_free(text) }
    guard let text, String(cString: text) == url else { throw Failure(message: "\(url) was forgotten") }
  }
}

func host(_ ids: [String], prefix: String) throws {
  var application: OpaquePointer?
  try check("application") { segue_application_new("org.segue.WebPageBeside", nil, &application, &$0) }
  guard let application else { throw Failure(message: "no application") }
  defer { _ = segue_application_unref(application) }
  var pages: [String: Hosted] = [:]
  for id in ids {
    let path = "\(prefix)/lib/segue/plugins/\(id).so"
    pages[id] = try Hosted(id, application: application, prefix: prefix, path: path)
  }
  for _ in 0..<1000 {
    for page in pages.values { try page.tell() }
    for page in pages.values { try page.ask() }
  }
}

let arguments = CommandLine.arguments.dropFirst()
guard let prefix = arguments.first, arguments.count > 2 else { fatalError("Give a prefix, and ids.") }
do {
  try host(Array(arguments.dropFirst()), prefix: prefix)
  print("web-page: \(arguments.count - 1) plugins in Swift serve one program in Swift")
} catch let failure as Failure {
  fatalError(failure.message)
}
