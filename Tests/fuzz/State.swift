// The files that a device keeps on disk, with a checksum that is always right: by the first byte the journal of
// continuations, the record that contains it as it is on disk, paired devices, or the newest manifests of teams.

import SegueCore
import SegueEngine

@testable import SegueState

func fuzzState(_ bytes: [UInt8]) {
  let file = Array(bytes.dropFirst())
  do throws(SegueError) {
    let folder = try StateFolder(Scratch.shared.path + "/state") { _ in [UInt8](repeating: 0, count: 32) }
    switch (bytes.first ?? 0) % 4 {
    case 0: try fuzzJournal(file, folder)
    case 1: try fuzzRecord(file, folder)
    case 2: try fuzzPins(file, folder)
    default: try fuzzTeams(file, folder)
    }
  } catch {
    checkShown(error)
  }
}

/// Writes a file with the checksum of its content, as an undamaged file has it.
private func store(_ name: String, _ content: [UInt8], _ folder: StateFolder) {
  Scratch.shared.write("state/" + name, folder.checksum.added(to: content))
}

private func fuzzJournal(_ bytes: [UInt8], _ folder: StateFolder) throws(SegueError) {
  let journal = try ContinuationJournal.decode(bytes)
  check(journal.running.count <= Limits.continuationsRecorded, "\(journal.running.count) continuations")
  check(journal.taken.count <= Limits.continuedOffers, "\(journal.taken.count) offers are hidden")
  Scratch.shared.remove("state/continuations")
  do throws(SegueError) {
    check(try ContinuationJournal.decode(try journal.encode()) == journal, "another journal when it is read again")
    var file = JournalFile(folder)
    try file.write(journal)
    check(try JournalFile(folder).read() == journal, "the journal's file has another")
  } catch {
    fatalError("what was read cannot be written: \(error.message)")
  }
}

private func fuzzRecord(_ bytes: [UInt8], _ folder: StateFolder) throws(SegueError) {
  Scratch.shared.write("state/record", bytes)
  let record = StateFile(folder, "record")
  let content: [UInt8]?
  do throws(SegueError) { content = try record.read() } catch {
    try record.write([1])
    check(try StateFile(folder, "record").read() == [1], "what was damaged is not made anew")
    throw error
  }
  if let content { check(try StateFile(folder, "record").read() == content, "another state") }
  try record.write((content ?? []) + [1])
  check(try StateFile(folder, "record").read() == (content ?? []) + [1], "what was written is not there")
}

private func fuzzPins(_ bytes: [UInt8], _ folder: StateFolder) throws(SegueError) {
  store("devices", bytes, folder)
  var pins = try PinStore(folder: folder)
  check(pins.devices.count <= Limits.devices, "\(pins.devices.count) devices")
  check(Set(pins.devices.map { $0.id }).count == pins.devices.count, "a device is there twice")
  guard let device = pins.devices.first, device.addresses.count <= Limits.deviceAddresses else { return }
  try pins.add(device)
  var again = try PinStore(folder: folder)
  check(again.devices.map { $0.id } == pins.devices.map { $0.id }, "other devices when they are read again")
  check(again.removed == pins.removed, "other removed devices when they are read again")
  try again.remove(device.id)
  check(try PinStore(folder: folder).removed.last == device.id, "a removed device is forgotten")
}

private func fuzzTeams(_ bytes: [UInt8], _ folder: StateFolder) throws(SegueError) {
  store("teams", bytes, folder)
  let memory = try TeamMemory(readingFrom: folder)
  try memory.save(to: folder)
  check(try TeamMemory(readingFrom: folder) == memory, "other manifests when they are read again")
}
