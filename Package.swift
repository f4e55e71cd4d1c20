// swift-tools-version: 6.1
import PackageDescription

// Core, Bus, Runtime and ABI build in two modes from the same sources: the ordinary one, for tests and sanitizers,
// and Embedded Swift for the installed library (`--traits Embedded`), which needs no Swift runtime library.
// docs/building.md says what each flag is for.
let embedded: [SwiftSetting] = [
  .enableExperimentalFeature("Embedded", .when(traits: ["Embedded"])),
  .unsafeFlags(
    ["-Osize", "-Xfrontend", "-function-sections", "-dwarf-version=4", "-Xcc", "-gdwarf-4"],
    .when(configuration: .release, traits: ["Embedded"])),
]

let package = Package(
  name: "segue",
  products: [
    .library(name: "segue", type: .dynamic, targets: ["SegueABI"])
  ],
  traits: [
    .trait(name: "Embedded", description: "Build the library as Embedded Swift, as it is installed.")
  ],
  targets: [
    .systemLibrary(name: "CSegue"),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .target(name: "CLinux", cSettings: [.define("SEGUE_EMBEDDED", .when(traits: ["Embedded"]))]),
    .target(name: "SegueCore", swiftSettings: embedded),
    .target(name: "SegueBus", dependencies: ["SegueCore", "CDBus", "CLinux"], swiftSettings: embedded),
    .target(name: "SegueRuntime", dependencies: ["SegueCore", "SegueBus"], swiftSettings: embedded),
    .target(
      name: "SegueABI", dependencies: ["SegueRuntime", "CSegue"], swiftSettings: embedded,
      linkerSettings: [
        .unsafeFlags(
          [
            "-use-ld=lld",
            "-Xlinker", "--version-script=\(Context.packageDirectory)/segue.map",
            "-Xlinker", "-soname=libsegue.so.0", "-Xlinker", "-z", "-Xlinker", "defs",
            "-Xlinker", "-z", "-Xlinker", "nodelete", "-Xlinker", "-z", "-Xlinker", "now",
            "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "--gc-sections",
            "-Xlinker", "-l:../embedded/x86_64-unknown-linux-gnu/libswiftUnicodeDataTables.a", "-lm",
          ], .when(configuration: .release, traits: ["Embedded"]))
      ]),
    .testTarget(name: "SegueCoreTests", dependencies: ["SegueCore"]),
    // What Tests/python/codec_test.py talks to.
    .executableTarget(name: "codec-probe", dependencies: ["SegueCore"], path: "Tests/codec-probe"),
    .testTarget(name: "SegueBusTests", dependencies: ["SegueBus"]),
  ]
)
