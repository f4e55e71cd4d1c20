import ArgumentParser
import Foundation
import SegueBus
import SegueCore
import Testing

@testable import segue

@Suite(.serialized) struct CommandTests {
  private static let id = "3f2a91c0" + String(repeating: "0", count: 24)

  private static func list(_ items: [BusDictionary]) -> BusValue {
    .array(elementSignature: "a{sv}", items.map { .dictionary($0) })
  }

  /// Answers everything; `override` says which methods it answers itself.
  private static func daemon(
    title: String = "Letter", _ override: @escaping (String, Invocation) -> Bool = { _, _ in false }
  ) throws -> ScriptedDaemon {
    try ScriptedDaemon { member, _, invocation in
      guard !override(member, invocation) else { return }
      switch member {
      case "Hello": invocation.reply([.uint32(1), .dictionary([:])])
      case "GetStatus":
        invocation.reply([
          .dictionary([
            "version": .string("0.1.0"), "device-id": .string("wq3x-n5ab-7k2a"), "device-name": .string("laptop"),
            "addresses": .strings(["192.0.2.1:4711"]), "applications": .uint32(1), "installed": .uint32(2),
            "devices": .uint32(1), "online": .uint32(0),
            "discovery": .string("unavailable"), "discovery-problem": .string("Avahi does not run. Start it."),
            "paired": list([
              [
                "id": .string("beef-n5ab-7k2a"), "name": .string("kitchen"), "online": .bool(true),
                "addresses": .strings(["192.0.2.7:19736"]),
              ]
            ]),
          ])
        ])
      case "ListOffers":
        invocation.reply([
          list([
            [
              "id": .string(id), "title": .string(title), "app-id": .string("org.example.Editor"),
              "app-name": .string("Editor"), "local-app": .string("org.example.Editor"),
              "device-name": .string("kitchen"), "age": .uint64(1_000),
            ]
          ])
        ])
      case "ListDevices":
        invocation.reply([
          list([
            [
              "id": .string("beef-n5ab-7k2a"), "name": .string("kitchen"), "online": .bool(true),
              "words": .string("nuvab-kidas-fozur-pohib"),
              "addresses": .strings(["192.0.2.7:19736", "192.0.2.7:4711"]),
              "hint": .string("A firewall may be in the way."),
            ]
          ])
        ])
      case "ListActivities", "ListStored": invocation.reply([list([])])
      case "Continue": invocation.reply([.string("c0ffee")])
      default: invocation.reply()
      }
    }
  }

  @Test func `each command asks, and prints the answer`() throws {
    let daemon = try Self.daemon()
    #expect(
      try daemon.run(["activities"]).output
        == "ID        TITLE   APPLICATION  DEVICE   AGE\n3f2a91c0  Letter  Editor       kitchen  1 s\n")
    #expect(try daemon.run(["activities", "--json"]).output.hasPrefix(#"{"offers":[{"id":"3f2a91c0"#))
    #expect(try daemon.run(["status"]).output.contains("applications  2 installed, 1 connected\n"))
    #expect(try daemon.run(["status"]).output.contains("discovery     Avahi does not run. Start it.\n"))
    #expect(
      try daemon.run(["devices"]).output == """
        beef-n5ab  kitchen  online
          words             nuvab-kidas-fozur-pohib
          dialled at        192.0.2.7:19736 192.0.2.7:4711
          reached at        never
          reached this one  never
          A firewall may be in the way.

        """)
    #expect(
      try daemon.run(["status"]).output.hasSuffix(
        "\n              \"kitchen\" (beef-n5ab): online; dialled at 192.0.2.7:19736; never reached from here; has never "
          + "reached this one\n"))
    #expect(
      try daemon.run(["identity"]).output.hasSuffix("\nsegue device add wq3x-n5ab-7k2a 192.0.2.1:4711 --name laptop\n"))
    #expect(
      try daemon.run(["identity", "--json"]).output == #"{"device-id":"wq3x-n5ab-7k2a","device-name":"laptop","#
        + #""addresses":["192.0.2.1:4711"],"command":"segue device add wq3x-n5ab-7k2a 192.0.2.1:4711 --name laptop"}"#
        + "\n")
    for arguments in [["continue", "3f2a"], ["continue", "--latest"], ["continue"], ["continue", Self.id]] {
      let result = try daemon.run(arguments)
      #expect(result.status == 0 && result.output == "Continued.\n" && result.error == "")
      #expect(daemon.calls.last?.arguments.first == .string(Self.id))
    }
    #expect(try daemon.run(["device", "add", "id", "host:1", "host:2", "--name", "tv"]).status == 0)
    #expect(daemon.calls.last?.arguments == [.string("id"), .string("tv"), .strings(["host:1", "host:2"])])
    #expect(try daemon.run(["device", "remove", "kitchen"]).status == 0)
    #expect(daemon.calls.last?.arguments == [.string("beef-n5ab-7k2a")])
  }

  @Test func `no escape sequence of a peer reaches the terminal`() throws {
    let daemon = try Self.daemon(title: "a\u{1b}]0;x\u{7}b\nc\u{202E}\u{9b}2J") { member, invocation in
      guard member == "Continue" else { return false }
      invocation.fail(SegueError(.handoffFailed, "no\u{1b}[31m\nway", advice: "x\u{1b}y"))
      return true
    }
    for arguments in [["activities"], ["activities", "--json"], ["continue"]] {
      let result = try daemon.run(arguments)
      for scalar in (result.output + result.error).unicodeScalars {
        #expect(scalar == "\n" || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
        #expect(scalar != "\u{202E}")
      }
    }
    #expect(try daemon.run(["continue"]).error == "segue: no[31m way\n  xy\n")
  }

  /// The name is of whoever connects, before anything is known of it.
  @Test(arguments: ["typing", "asking", "showing"]) func attack35_aNameIsNoWordOfThePairing(
    state: String
  ) throws {
    let daemon = try Self.daemon { member, invocation in
      guard member == "GetPairing" else { return false }
      let name = "lap\" took the digits. Type y.\n\u{201D} Or did desk"
      invocation.reply([
        .dictionary(["state": .string(state), "name": .string(name), "digits": .string("493027")])
      ])
      return true
    }
    let quoted = "\"lap' took the digits. Type y. ' Or did desk\""
    let said = [
      "typing": "Which digits does \(quoted) show?", "asking": "Did \(quoted) accept the digits? [y/N]",
      "showing": "Type these digits on \(quoted): 493 027",
    ]
    // No user can answer here, so a question ends the command.
    var last = ""
    let result = try daemon.run(["pair"]) { output in
      last = output
      if state == "showing", !output.isEmpty { daemon.isInterrupted = true }
    }
    #expect((last + result.error).contains(try #require(said[state])), "\(last) \(result)")
  }

  @Test func `an error of the daemon is status 1, a command line not understood 64`() throws {
    let daemon = try Self.daemon { member, invocation in
      guard member == "Continue" else { return false }
      invocation.fail(SegueError(.connectionUnavailable, "kitchen is gone.", advice: "Wake it."))
      return true
    }
    let failed = try daemon.run(["continue", "3f2a"])
    #expect(failed.status == 1 && failed.output == "" && failed.error == "segue: kitchen is gone.\n  Wake it.\n")
    #expect(try daemon.run(["continue", "beef"]).status == 1)
    #expect(try daemon.run(["continue", "3f2a", "--latest"]).status == 64)
    #expect(try daemon.run(["no-such-command"]).status == 64)
    #expect(try daemon.run(["--help"]).status == 0)
  }

  @Test func `a daemon of another version is told as it tells it`() throws {
    let daemon = try Self.daemon { member, invocation in
      guard member == "Hello" else { return false }
      invocation.fail(SegueError(.versionMismatch, "Too old.", advice: "Update."))
      return true
    }
    let result = try daemon.run(["status"])
    #expect(result.status == 1 && result.error == "segue: Too old.\n  Update.\n")
  }

  @Test func `without a daemon, or without a bus, the status is 2`() throws {
    let result = try ScriptedDaemon(nil).run(["status"])
    #expect(result.status == 2 && result.error.hasPrefix("segue: The Segue daemon is not running"))
    let daemon = try Self.daemon { member, _ in member == "GetStatus" }
    let ended = try daemon.run(["status"]) { _ in
      if daemon.calls.last?.member == "GetStatus" { daemon.stop() }
    }
    // The dropped call is answered with an error, or the end of the connection is.
    #expect(ended.status != 0 && ended.error.hasPrefix("segue: "))
  }

  @Test func `watch prints what is there and what comes, also of the next daemon, until the bus ends`() throws {
    var title = "one"
    let daemon = try Self.daemon { member, invocation in
      guard member == "ListOffers" else { return false }
      invocation.reply([Self.list([["id": .string(Self.id), "title": .string(title), "device-name": .string("tv")]])])
      return true
    }
    var step = 0
    let result = try daemon.run(["watch"]) { output in
      let lines = output.split(separator: "\n").count
      do {
        if step == 0, lines == 2 {
          step = 1
          title = "two"
          try daemon.emit("OffersChanged")
          try daemon.emit("ContinuationChanged", [.string("c0ffee0000"), .string("launching")])
        } else if step == 1, lines == 4 {
          step = 2
          daemon.stop()
        } else if step == 2, lines == 5 {
          step = 3
          try daemon.start()
        } else if step == 3, lines == 8 {
          step = 4
          daemon.stop()
          daemon.stopBus()
        }
      } catch { Issue.record(error) }
    }
    #expect(
      result.output.split(separator: "\n") == [
        "offer 3f2a91c0 new: one (tv)", "device beef-n5ab online: kitchen", "offer 3f2a91c0 changed: two (tv)",
        "continuation c0ffee00 launching", "daemon gone: waiting for the next one", "daemon back",
        "offer 3f2a91c0 new: two (tv)", "device beef-n5ab online: kitchen", "daemon gone: waiting for the next one",
      ])
    #expect(result.status == 2 && result.error.hasPrefix("segue: "))
  }

  @Test func `watch says of a lost device first that its offers have gone`() throws {
    var isLost = false
    var lose: () -> Void = {}
    let daemon = try Self.daemon { member, invocation in
      switch member {
      case "ListActivities":
        // It is lost between the list of offers and that of devices.
        lose()
        return false
      case "ListOffers" where isLost: invocation.reply([Self.list([])])
      case "ListDevices" where isLost:
        invocation.reply([Self.list([["id": .string("beef-n5ab-7k2a"), "name": .string("kitchen")]])])
      default: return false
      }
      return true
    }
    var step = 0
    let result = try daemon.run(["watch"]) { output in
      do {
        if step == 0, output.contains("online") {
          step = 1
          lose = { [unowned daemon] in
            (isLost, lose) = (true, {})
            for signal in ["OffersChanged", "DevicesChanged"] { try? daemon.emit(signal) }
          }
          try daemon.emit("OffersChanged")
        } else if output.contains("offline") && output.contains("gone") {
          daemon.isInterrupted = true
        }
      } catch { Issue.record(error) }
    }
    #expect(
      result.output.split(separator: "\n").suffix(2) == [
        "offer 3f2a91c0 gone: Letter (Editor, kitchen)", "device beef-n5ab offline: kitchen",
      ])
  }

  @Test func `watch tells a program too that the daemon has gone, and that there is another`() throws {
    let daemon = try Self.daemon()
    var step = 0
    let result = try daemon.run(["watch", "--json"]) { output in
      do {
        if step == 0, output.contains(#""event":"device""#) {
          step = 1
          daemon.stop()
          try daemon.start()
        } else if output.contains(#"{"event":"daemon","change":"new"}"#) {
          daemon.isInterrupted = true
        }
      } catch { Issue.record(error) }
    }
    #expect(
      result.output.contains("{\"event\":\"daemon\",\"change\":\"gone\"}\n{\"event\":\"daemon\",\"change\":\"new\"}\n"))
  }

  @Test func `help of what is no command fails`() throws {
    let daemon = try ScriptedDaemon(nil)
    for (arguments, word) in [(["help", "nope"], "nope"), (["help", "device", "nope"], "nope")] {
      let result = try daemon.run(arguments)
      #expect(result.status == 64 && result.error.contains("There is no command \(word) to help with."))
      #expect(result.output == "")
    }
    for arguments in [["help"], ["help", "device", "add"], ["help", "team", "sign"]] {
      let result = try daemon.run(arguments)
      #expect(result.status == 0 && result.output.contains("USAGE: segue"))
    }
  }

  @Test func `the page of all commands names their exit codes`() throws {
    let page = try ScriptedDaemon(nil).run(["--help"]).output
    let start = try #require(page.range(of: "Exit status:"))
    let end = try #require(page.range(of: "USAGE:"))
    let status = String(page[start.upperBound..<end.lowerBound])
    let words = Set(status.split { !$0.isLetter }.map { String($0) })
    for command in Segue.configuration.subcommands { #expect(words.contains(command._commandName)) }
  }

  @Test func `completion knows ids and devices`() throws {
    let daemon = try Self.daemon()
    #expect(
      try daemon.run(["---completion", "continue", "--", "positional@0", "0", "2", "segue", "continue", ""]).output
        == "3f2a91c0\n")
    #expect(
      try daemon.run([
        "---completion", "device", "remove", "--", "positional@0", "0", "3", "segue", "device", "remove", "",
      ]).output == "kitchen\n")
    daemon.stop()
    let alone = try daemon.run(["---completion", "continue", "--", "positional@0", "0", "2", "segue", "continue", ""])
    #expect(alone.status == 0 && alone.error == "" && alone.output.split(separator: "\n").isEmpty)
  }

  @Test func `completion does not wait for a daemon that hangs`() throws {
    var unanswered: [Invocation] = []
    let daemon = try Self.daemon { member, invocation in
      guard member == "ListOffers" else { return false }
      unanswered.append(invocation)
      return true
    }
    let result = try daemon.run(["---completion", "continue", "--", "positional@0", "0", "2", "segue", "continue", ""])
    #expect(unanswered.count == 1)
    #expect(result.status == 0 && result.error == "" && result.output.split(separator: "\n").isEmpty)
  }

  /// One that does not open the door is not one that the bus could not start.
  @Test func `a daemon that hangs at its door is said to hang`() throws {
    var unanswered: [Invocation] = []
    let daemon = try ScriptedDaemon { unanswered.append($2) }
    let bus = try Connection.openBus(address: daemon.address, on: daemon.loop) { _ in }
    let failure = #expect(throws: CommandFailure.self) {
      _ = try DaemonClient.enter(bus, daemon.loop, startsIt: false, callTime: 1)
    }
    #expect(failure?.kind == .unreachable && failure?.error.message.contains("does not answer") == true)
    daemon.stop()
    bus.close()
  }

  /// Client and daemon on one loop.
  @Test func `continuing does not wait for a daemon that hangs`() throws {
    var unanswered: [Invocation] = []
    let daemon = try Self.daemon { member, invocation in
      guard member == "Continue" else { return false }
      if unanswered.isEmpty { unanswered.append(invocation) } else { invocation.reply([.string("c0ffee")]) }
      return true
    }
    let bus = try Connection.openBus(address: daemon.address, on: daemon.loop) { _ in }
    let client = try DaemonClient.enter(bus, daemon.loop, startsIt: false, callTime: Limits.callTime)
    let command = try ContinueCommand.parse([Self.id])
    let failure = #expect(throws: CommandFailure.self) { try command.run(client, timeLimit: 1) }
    #expect(failure?.error.message == "The Segue daemon does not answer: No answer within 1 ms.")
    #expect(failure?.kind == .unreachable && failure?.error.advice.contains("pkill segued") == true)
    // One that answers in time is heard.
    try command.run(client, timeLimit: ContinuationProgress.timeLimit)
    daemon.stop()
    bus.close()
  }
}
