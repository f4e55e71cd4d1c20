/// The Swift packages that the programs are linked with. `scripts/packages` compares these versions with the manifest and
/// with the packages that a build has found.
enum LinkedPackages {
  static let versions: [(name: String, version: String)] = [
    ("swift-argument-parser", "1.8.2"),
    ("swift-asn1", "1.7.4"),
    ("swift-atomics", "1.3.0"),
    ("swift-certificates", "1.21.1"),
    ("swift-collections", "1.6.0"),
    ("swift-crypto", "4.5.2"),
    ("swift-log", "1.16.2"),
    ("swift-nio", "2.101.2"),
    ("swift-nio-ssl", "2.37.6"),
    ("swift-system", "1.8.1"),
  ]

  /// `segue --version --json`: the program's version, and those of its packages.
  static var json: String {
    JSONText.object([
      ("version", JSONText.string(Segue.version)),
      ("packages", JSONText.object(versions.map { ($0.name, JSONText.string($0.version)) })),
    ])
  }
}
