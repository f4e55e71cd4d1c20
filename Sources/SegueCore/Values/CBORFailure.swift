/// A problem with a value that is being encoded, and its place in it. The place is put together while the error
/// propagates, so that encoding a good value costs nothing extra.
struct CBORFailure: Error {
  private let code: SegueError.Code
  private let what: String
  private var path = ""

  init(_ code: SegueError.Code, _ what: String) {
    self.code = code
    self.what = what
  }

  /// The same failure, seen from the container that holds the value as `element`.
  func inside(_ element: String) -> CBORFailure {
    var failure = self
    failure.path = "[\(element)]" + path
    return failure
  }

  func segueError(root: String) -> SegueError {
    SegueError(code, "\(root)\(path) \(what)")
  }
}

extension Value {
  /// A key as error messages show it: short, on one line, and where it is text in quotation marks that it cannot close.
  var inPath: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): DisplayText.quoted(value, maximum: Limits.shownName)
    case .data(let value): "\(value.count) bytes"
    case .date(let value): "date \(value)"
    case .url(let value): "url \(DisplayText.quoted(value, maximum: Limits.shownName))"
    case .uuid(let value): value.hex
    case .array: "array"
    case .set: "set"
    case .dictionary: "dictionary"
    }
  }
}
