import SegueCore

extension Limits {
  // MARK: Associated domains
  /// Bytes of an association file, after decompression (Apple), and of a signed one with its certificates.
  public static let associationLength = 128 * 1024
  public static let signedAssociationLength = 256 * 1024
  /// Containers inside containers in an association file, and its values, keys included.
  public static let associationDepth = 16
  public static let associationValues = 32_768
  /// Applications that one association file may name for continuing, and as many for links; and pairs of an application
  /// and a pattern.
  public static let associationApplications = 1024
  public static let associationPatterns = 16_384
  /// Steps of all patterns of an association file, once their variables stand for what they mean.
  public static let patternSteps = 65_536
  /// Bytes of the reason why a domain's file grants nothing.
  public static let associationReason = 512
}
