// swift-tools-version: 6.2
import PackageDescription

// Segue for programs in Swift. It links the installed libsegue, which pkg-config finds under the name "segue", and has no
// unsafe flags, so that other packages can depend on a version of it.
let package = Package(
  name: "segue-swift",
  products: [
    .library(name: "Segue", targets: ["Segue"]),
    .library(name: "SegueCompatibility", targets: ["SegueCompatibility"]),
  ],
  targets: [
    .systemLibrary(name: "CSegueLibrary", pkgConfig: "segue"),
    .target(name: "Segue", dependencies: ["CSegueLibrary"]),
    .target(name: "SegueCompatibility", dependencies: ["Segue"]),
    .testTarget(name: "SegueTests", dependencies: ["Segue", "CSegueLibrary"]),
    .testTarget(name: "SegueCompatibilityTests", dependencies: ["Segue", "SegueCompatibility"]),
  ],
  swiftLanguageModes: [.v6]
)
