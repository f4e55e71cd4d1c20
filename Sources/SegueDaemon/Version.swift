/// The daemon's version, the same as the library's.
public enum Version {
  public static let text = "0.1.0"
}
