/// Types one after the other, as the parameters of a plugin's function.
public struct PluginSignature: Hashable, Sendable {
  public let types: [PluginType]

  /// Throws `invalidArgument`, with the place, for anything but types, and `limitExceeded` for too many.
  public init(_ text: String) throws(SegueError) {
    var types: [PluginType] = []
    var isOptional = false
    var isArray = false
    var place = 0
    func failure(_ what: String) -> SegueError {
      SegueError(
        .invalidArgument, "The signature \(DisplayText.clean(text, maximum: Limits.shownName)) \(what) at \(place)",
        advice: "Its letters are listed in segue/plugin.h.")
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "m"):
        guard !isOptional, !isArray else { throw failure("has an m that stands before no type") }
        isOptional = true
      case UInt8(ascii: "a"):
        guard !isArray else { throw failure("has an array of arrays") }
        isArray = true
      default:
        guard let element = PluginType.Element(letter: byte) else { throw failure("has an unknown letter") }
        guard !isArray || element.mayBeElement else { throw failure("has an array of \(element.letter)") }
        guard !isOptional || element != .value else { throw failure("has an optional v") }
        guard types.count < Limits.pluginParameters else {
          throw SegueError(.limitExceeded, "A plugin's function has at most \(Limits.pluginParameters) parameters")
        }
        types.append(PluginType(element, isArray: isArray, isOptional: isOptional))
        isOptional = false
        isArray = false
      }
      place &+= 1
    }
    guard !isOptional, !isArray else { throw failure("ends inside a type") }
    self.types = types
  }

  public var text: String { types.reduce("") { $0 + $1.signature } }
}

extension PluginType {
  /// The type that is all of a signature; throws otherwise, as `PluginSignature` does.
  public init(signature: String) throws(SegueError) {
    let types = try PluginSignature(signature).types
    guard let type = types.first, types.count == 1 else {
      throw SegueError(
        .invalidArgument,
        "The signature \(DisplayText.clean(signature, maximum: Limits.shownName)) is not that of one type")
    }
    self = type
  }
}
