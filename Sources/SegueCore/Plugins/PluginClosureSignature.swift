/// The signature of a function that is made at run time (`include/segue/closure.h`): the result's letter, or none, and
/// the parameters' in parentheses.
public struct PluginClosureSignature: Equatable, Sendable {
  public enum Letter: Equatable, Sendable {
    case element(PluginType.Element)
    /// `p`, whatever it points to.
    case pointer
  }

  public let result: Letter?
  public let parameters: [Letter]

  /// Throws `invalidArgument` for anything else, `limitExceeded` for too many parameters.
  public init(_ text: String) throws(SegueError) {
    var letters: [Letter] = []
    var result: Letter?
    var isInside = false
    var isClosed = false
    func failure() -> SegueError {
      SegueError(
        .invalidArgument, "\(DisplayText.clean(text, maximum: Limits.shownName)) is not a signature of a closure",
        advice: "It is the result's letter, or none, and the parameters' in parentheses: i(xs).")
    }
    for byte in text.utf8 {
      guard !isClosed else { throw failure() }
      switch byte {
      case UInt8(ascii: "(") where !isInside && letters.count < 2:
        result = letters.first
        letters = []
        isInside = true
      case UInt8(ascii: ")") where isInside: isClosed = true
      case UInt8(ascii: "p"): letters.append(.pointer)
      default:
        guard let element = PluginType.Element(letter: byte) else { throw failure() }
        letters.append(.element(element))
      }
      guard letters.count <= Limits.pluginParameters else {
        throw SegueError(.limitExceeded, "A closure has at most \(Limits.pluginParameters) parameters.")
      }
    }
    guard isClosed else { throw failure() }
    self.result = result
    parameters = letters
  }
}
