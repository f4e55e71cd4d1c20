// swift-tools-version: 6.1
import Foundation
import PackageDescription

// Core, Bus, Runtime and ABI build in two modes from the same sources: the ordinary one, for tests and sanitizers,
// and Embedded Swift for the installed library (`--traits Embedded`), which needs no Swift runtime library.
// docs/building.md says what each flag is for.
let embedded: [SwiftSetting] = [
  // Not .enableExperimentalFeature: the package manager would link with the feature whatever the trait, and an ordinary
  // library linked so lacks the object file that registers its types with the runtime.
  .unsafeFlags(["-enable-experimental-feature", "Embedded"], .when(traits: ["Embedded"])),
  // The optimiser puts arrays of constants into data that is named by a count. Each module that compiles a function
  // once more may count otherwise, and the linker keeps one of each name: the wrong array is then returned.
  .unsafeFlags(["-Xllvm", "-sil-disable-pass=object-outliner"], .when(traits: ["Embedded"])),
  // Embedded Swift's runtime checks no exclusivity; without this it is asked to all the same, at each access.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(traits: ["Embedded"])),
  .unsafeFlags(
    [
      "-Osize", "-Xfrontend", "-function-sections", "-dwarf-version=4", "-Xcc", "-gdwarf-4",
      // String.append(String): otherwise each part of each interpolated text has its 200 bytes of code.
      "-Xllvm", "-sil-inline-never-functions=SS6appendyySS",
    ], .when(configuration: .release, traits: ["Embedded"])),
]

// The programs as they are installed. Relocations are packed: the daemon reads a megabyte and a half less when it
// starts. That needs glibc 2.36, and so is not done to the library. The functions that a daemon calls stand one behind the
// other; scripts/symbol-order writes their order. Swift exports every symbol of a program; only the library's functions
// are of use, to the plugins that `segue plugin check` loads.
let installed: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--icf=all",
      "-Xlinker", "-z", "-Xlinker", "now",
      "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/scripts/symbol-order.txt",
      "-Xlinker", "--no-warn-symbol-ordering",
      "-Xlinker", "--no-export-dynamic", "-Xlinker", "--export-dynamic-symbol=segue_*",
    ], .when(configuration: .release))
]

// Where the toolchain keeps Embedded Swift's Unicode tables, beside its ordinary libraries.
#if arch(arm64)
  let unicodeTables = "-l:../embedded/aarch64-unknown-linux-gnu/libswiftUnicodeDataTables.a"
#else
  let unicodeTables = "-l:../embedded/x86_64-unknown-linux-gnu/libswiftUnicodeDataTables.a"
#endif

let package = Package(
  name: "segue",
  products: [
    .library(name: "segue", type: .dynamic, targets: ["SegueABI"]),
    // All programs; ProgramName lists the names by which it is installed.
    .executable(name: "segue-programs", targets: ["segue-programs"]),
  ],
  traits: [
    .trait(name: "Embedded", description: "Build the library as Embedded Swift, as it is installed.")
  ],
  // Exact versions, so that two builds of one tree hold the same TLS code. scripts/packages moves them, and compares the
  // packages that these bring along with Sources/segue/LinkedPackages.swift.
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CSegue"),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CVTerm", pkgConfig: "vterm", providers: [.apt(["libvterm-dev"])]),
    .target(name: "CTerminal"),
    .target(name: "CConfine"),
    .target(name: "CAssociations", dependencies: ["CConfine"]),
    .target(name: "CLinux", cSettings: [.define("SEGUE_EMBEDDED", .when(traits: ["Embedded"]))]),
    // As the engine is.
    .target(
      name: "SegueCore", swiftSettings: embedded + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .target(
      name: "SegueClient", dependencies: ["SegueCore"],
      swiftSettings: embedded + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .testTarget(name: "SegueClientTests", dependencies: ["SegueClient", "SegueCore", "SegueSimulator"]),
    .target(name: "SegueBus", dependencies: ["SegueCore", "CDBus", "CLinux"], swiftSettings: embedded),
    .target(
      name: "SegueRuntime", dependencies: ["SegueCore", "SegueClient", "SegueBus", "CFFI", "CLinux", "CSegue"],
      swiftSettings: embedded),
    .target(
      name: "SegueABI", dependencies: ["SegueCore", "SegueClient", "SegueRuntime", "CLinux", "CSegue"],
      swiftSettings: embedded,
      linkerSettings: [
        .unsafeFlags(
          [
            "-enable-experimental-feature", "Embedded", "-use-ld=lld",
            "-Xlinker", "--version-script=\(Context.packageDirectory)/segue.map",
            "-Xlinker", "-soname=libsegue.so.0", "-Xlinker", "-z", "-Xlinker", "defs",
            "-Xlinker", "-z", "-Xlinker", "nodelete", "-Xlinker", "-z", "-Xlinker", "now",
            "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "--gc-sections",
            "-Xlinker", "--icf=all",
            "-Xlinker", "--build-id", "-Xlinker", unicodeTables,
          ], .when(configuration: .release, traits: ["Embedded"]))
      ]),
    // The values that org.segue.Control1 carries, for the daemon and its clients.
    .target(name: "SegueControl", dependencies: ["SegueCore", "SegueBus"]),
    .testTarget(name: "SegueControlTests", dependencies: ["SegueCore", "SegueBus", "SegueControl"]),
    .target(
      name: "SegueTeam", dependencies: ["SegueCore", .product(name: "Crypto", package: "swift-crypto")],
      linkerSettings: [.linkedLibrary("stdc++")]),
    .testTarget(name: "SegueTeamTests", dependencies: ["SegueCore", "SegueTeam"]),
    .executableTarget(
      name: "segue-programs",
      dependencies: [
        "SegueAssociations", "SegueBridge", "SegueBrowser", "SegueBus", "SegueCore", "SegueDaemon", "SegueFiles",
        "SeguePluginCheck", "SegueShell", "segue",
      ],
      // BoringSSL is C++, and the package manager forgets it in a package that builds a dynamic library too.
      linkerSettings: installed + [.linkedLibrary("stdc++")]),
    .target(
      name: "segue",
      dependencies: [
        "SegueCore", "SegueBus", "SegueControl", "SegueFiles", "SegueState", "SegueTeam", "SegueWeb", "SegueSimulator",
        "CLinux", "CQREncode",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "SegueCLITests",
      dependencies: [
        "segue", "SegueCore", "SegueBus", "SegueControl", "SegueState",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Optimised in debug builds too: the patterns of a domain are followed there.
    .target(name: "SegueWeb", dependencies: ["SegueCore"], swiftSettings: [.unsafeFlags(["-O"])]),
    .testTarget(name: "SegueWebTests", dependencies: ["SegueCore", "SegueWeb"]),
    .target(name: "SegueAssociations", dependencies: ["SegueCore", "SegueBus", "SegueWeb", "CAssociations"]),
    .target(name: "SeguePluginCheck", dependencies: ["SegueCore", "SegueRuntime", "SegueABI"]),
    // Optimised in debug builds too: each byte of a terminal's output goes through it.
    .target(
      name: "SegueShell",
      dependencies: ["SegueCore", "SegueBus", "SegueControl", "SegueRuntime", "SegueState", "CLinux", "CTerminal"],
      swiftSettings: [.unsafeFlags(["-O"])]),
    // libvterm is the other terminal with which the session's screen is compared.
    .testTarget(
      name: "SegueShellTests", dependencies: ["SegueShell", "SegueCore", "CVTerm"], exclude: ["Recordings"]),
    .target(
      name: "SegueFiles",
      dependencies: ["SegueCore", "SegueBus", "SegueControl", "SegueRuntime", "SegueState", "CLinux", "CTerminal"]),
    .testTarget(name: "SegueFilesTests", dependencies: ["SegueFiles", "SegueCore"]),
    .target(
      name: "SegueBridge",
      dependencies: [
        "SegueCore", "SegueBus", "SegueRuntime", "SegueState", "SegueWeb", "CLinux", "CTerminal",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(
      name: "SegueBridgeTests", dependencies: ["SegueBridge", "SegueBus", "SegueCore", "SegueState", "SegueWeb"]),
    .target(
      name: "SegueBrowser",
      dependencies: ["SegueCore", "SegueBus", "SegueControl", "SegueRuntime", "SegueWeb", "CLinux"]),
    .testTarget(name: "SegueBrowserTests", dependencies: ["SegueBrowser", "SegueControl", "SegueCore"]),
    // Optimised in debug builds too: the simulator runs it thousands of times in every test run.
    .target(name: "SegueEngine", dependencies: ["SegueCore"], swiftSettings: [.unsafeFlags(["-O"])]),
    .testTarget(
      name: "SegueEngineTests",
      dependencies: [
        "SegueEngine", "SegueCore", "SegueSimulator", .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // Thousands of schedules are run through it in every test run, so that it is optimised in debug builds too.
    .target(
      name: "SegueSimulator", dependencies: ["SegueCore", "SegueClient", "SegueEngine"],
      swiftSettings: [.unsafeFlags(["-O"])]),
    .testTarget(name: "SegueSimulatorTests", dependencies: ["SegueCore", "SegueSimulator"]),
    .testTarget(name: "SegueCoreTests", dependencies: ["SegueCore"]),
    // The program that Tests/python/codec_test.py talks to.
    .executableTarget(name: "codec-probe", dependencies: ["SegueCore"], path: "Tests/codec-probe"),
    // The program that EventLoopTests runs in a process of its own.
    .executableTarget(name: "loop-probe", dependencies: ["SegueBus", "SegueCore"], path: "Tests/loop-probe"),
    // Benchmarks/run asks this program for the time of a match.
    .executableTarget(
      name: "match-bench", dependencies: ["SegueCore", "SegueEngine", "SegueWeb"], path: "Benchmarks/matching"),
    .executableTarget(
      name: "stream-forward",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], path: "Benchmarks/forward"),
    .testTarget(name: "SegueBusTests", dependencies: ["SegueCore", "SegueBus"]),
    .testTarget(
      name: "SegueRuntimeTests",
      dependencies: ["SegueCore", "SegueClient", "SegueBus", "SegueRuntime", "SegueABI", "CLinux"]),
    .target(name: "SegueState", dependencies: ["SegueCore", "SegueEngine", "SegueBus", "CLinux"]),
    .testTarget(
      name: "SegueStateTests",
      dependencies: ["SegueCore", "SegueBus", "SegueState", .product(name: "Crypto", package: "swift-crypto")],
      linkerSettings: [.linkedLibrary("stdc++")]),
    .target(
      name: "SegueLink",
      dependencies: [
        "SegueCore", "SegueBus", "SegueState", "CLinux",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "Logging", package: "swift-log"),
      ],
      // BoringSSL is C++, and the package manager forgets it in a package that builds a dynamic library too.
      linkerSettings: [.linkedLibrary("stdc++")]),
    .target(
      name: "SegueDaemon",
      dependencies: [
        "SegueCore", "SegueBus", "SegueControl", "SegueState", "SegueEngine", "SegueLink", "SegueTeam",
        "SegueWeb", "CConfine", "CLinux", "CExpat", "CSQLite",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "SegueDaemonTests",
      dependencies: [
        "SegueDaemon", "SegueCore", "SegueBus", "SegueControl", "SegueState", "SegueEngine", "SegueLink", "SegueTeam",
        "CLinux",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "SegueLinkTests",
      dependencies: [
        "SegueCore", "SegueBus", "SegueLink", "SegueState",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ]
)

// The source archive (`make dist`) brings its packages along, so that it builds without a network. Each takes the place
// of the one that the others name by its address.
let vendor = Context.packageDirectory + "/vendor"
if let names = try? FileManager.default.contentsOfDirectory(atPath: vendor) {
  package.dependencies = names.sorted().map { .package(path: "vendor/\($0)") }
}
