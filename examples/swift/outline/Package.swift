// swift-tools-version: 6.2
import PackageDescription

// Outside of this tree: .package(url: "https://…/segue-swift.git", from: "0.1.0")
let package = Package(
  name: "outline",
  dependencies: [.package(name: "segue-swift", path: "../../../swift")],
  targets: [
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4"),
    .executableTarget(name: "outline", dependencies: ["CGTK", .product(name: "Segue", package: "segue-swift")]),
  ],
  swiftLanguageModes: [.v6]
)
