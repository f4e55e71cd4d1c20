// The files of applications that are installed: by the first byte a desktop file, a D-Bus service file, a command line
// or a team's manifest.

import SegueCore
import SegueState

@testable import SegueDaemon
@testable import SegueTeam

private let quote = UInt8(ascii: "'")

private let wanted = DesktopFile.Wanted(locales: ["de_DE.UTF-8@euro", "en"])

func fuzzInstalled(_ bytes: [UInt8]) {
  let file = Array(bytes.dropFirst())
  switch (bytes.first ?? 0) % 4 {
  case 0: fuzzDesktopFile(file)
  case 1: fuzzServiceFile(file)
  case 2: fuzzCommandLine(String(decoding: file, as: UTF8.self))
  default: fuzzManifest(file)
  }
}

private func refused(_ body: () throws(SegueError) -> Void) {
  do throws(SegueError) { try body() } catch { checkShown(error) }
}

private func fuzzDesktopFile(_ bytes: [UInt8]) {
  refused { () throws(SegueError) in
    guard case .application(let file) = try DesktopFile.read(bytes, wanted) else { return }
    check(file.activityTypes.count <= Limits.typesPerApplication, "\(file.activityTypes.count) types")
    check(Set(file.activityTypes).count == file.activityTypes.count, "a type is there twice")
    checkShown(file.name ?? "")
    for problem in file.problems { checkShown(problem) }
    for (_, type) in file.documentTypes { check(file.activityTypes.contains(type), "a document's type is not a type") }
    for (type, version) in file.versions {
      check(version > 0 && file.activityTypes.contains(type), "version \(version) of \(type.string)")
    }
    check(try DesktopFile.read(bytes, wanted) == .application(file), "it is another when it is read again")
  }
}

private func fuzzServiceFile(_ bytes: [UInt8]) {
  guard let id = AppID("com.example.Reader") else { fatalError("no id") }
  refused { () throws(SegueError) in
    let file = try ServiceFile(bytes, of: id)
    check(file.exec.first?.isEmpty == false, "a service file without a command")
    for problem in file.problems { checkShown(problem) }
  }
}

private func fuzzCommandLine(_ line: String) {
  refused { () throws(SegueError) in
    let words = try ExecLine.split(line)
    check(words.first?.isEmpty == false, "a command line without a command")
    check(!ExecLine.withoutEnv(words).isEmpty, "nothing is left")
    // Every word can be written so that it is read again as it is.
    let quoted = words.map { word in
      [quote] + word.utf8.flatMap { $0 == quote ? [quote, UInt8(ascii: "\\"), quote, quote] : [$0] } + [quote]
    }
    let written = String(decoding: Array(quoted.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
    check(try ExecLine.split(written).elementsEqual(words, by: isSame), "other words")
  }
}

private func fuzzManifest(_ bytes: [UInt8]) {
  do throws(TeamProblem) {
    _ = try TeamManifest(verifying: bytes)
  } catch {
    let file = TeamFile(bytes, path: "/usr/share/segue/teams/abc.segue-team", order: 0, isTrusted: true)
    guard case .failure = file.content else { fatalError("a manifest that is refused is taken") }
  }
}
