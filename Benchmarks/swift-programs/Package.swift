// swift-tools-version: 6.2
import PackageDescription

// The programs that Benchmarks/swift_package.py measures.
let package = Package(
  name: "swift-benchmarks",
  dependencies: [.package(name: "segue-swift", path: "../../swift")],
  targets: [
    .executableTarget(name: "callbacks", dependencies: [.product(name: "Segue", package: "segue-swift")]),
    .target(name: "Memory"),
    .executableTarget(name: "bare", dependencies: ["Memory"]),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1"),
    .executableTarget(name: "bus", dependencies: ["Memory", "CDBus"]),
    .executableTarget(name: "linked", dependencies: ["Memory", .product(name: "Segue", package: "segue-swift")]),
  ],
  swiftLanguageModes: [.v6]
)
