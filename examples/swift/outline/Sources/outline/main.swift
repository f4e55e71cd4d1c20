import Foundation

// An outline that moves between devices: docs/swift.md. It has a window where there is a display.
let environment = ProcessInfo.processInfo.environment
let hasDisplay = environment["WAYLAND_DISPLAY"] != nil || environment["DISPLAY"] != nil
do {
  if hasDisplay, !CommandLine.arguments.contains("--terminal") {
    exit(try Program().run())
  }
  try Terminal().run()
} catch {
  writeLine("error: \(error)")
  exit(1)
}

/// A line on standard output, for whoever has started the program.
func writeLine(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
