// The configuration of the user, Syncthing and Nextcloud: by the first byte segue.conf, Syncthing's config.xml,
// Nextcloud's nextcloud.cfg, or defaults.conf.

import Glibc
import SegueCore
import SegueEngine

@testable import SegueDaemon
@testable import SegueState

private let settings = ContainerSettings { ["HOME": "/h"][$0] }

func fuzzConfigured(_ bytes: [UInt8]) {
  let file = Array(bytes.dropFirst())
  switch (bytes.first ?? 0) % 4 {
  case 0:
    fuzzSettings(file)
    fuzzContainers(file, DeclaredContainers.read)
  case 1: fuzzContainers(file, SyncthingContainers.read)
  case 2: fuzzContainers(file, NextcloudContainers.read)
  default: fuzzDefaults(file)
  }
}

private func fuzzContainers(
  _ bytes: [UInt8], _ read: ([UInt8], ContainerSettings) throws(SegueError) -> ContainerReading
) {
  do throws(SegueError) {
    let reading = try read(bytes, settings)
    for problem in reading.problems { checkShown(problem) }
    for container in reading.containers {
      check(container.path.utf8.first == UInt8(ascii: "/") && container.path != "/", "the folder \(container.path)")
      check((1...Limits.nameLength).contains(container.id.utf8.count), "an id of \(container.id.utf8.count) bytes")
      check(!container.path.utf8.contains(0), "a path with NUL")
    }
    let table = ContainerTable(reading.containers)
    for problem in table.problems { checkShown(problem) }
    check(table.containers.count <= Limits.containers, "there are \(table.containers.count) containers")
    check(try read(bytes, settings) == reading, "it says something else when it is read again")
  } catch {
    checkShown(error)
  }
}

private func fuzzSettings(_ bytes: [UInt8]) {
  let folder = Scratch.shared
  folder.write("segue/segue.conf", bytes)
  setenv("XDG_CONFIG_HOME", folder.path, 1)
  do throws(SegueError) {
    let settings = try Settings.load()
    for note in settings.notes { checkShown(note) }
    checkShown(settings.deviceName)
    check((1...10_000).contains(settings.noticesPerMinute), "\(settings.noticesPerMinute) in a minute")
    let times = settings.times
    for time in [times.save, times.fetch, times.container, times.launch, times.finish, times.grace] {
      check((1...Limits.settableTime).contains(time), "a time of \(time)")
    }
    check((1...Limits.storedCopyTime).contains(times.storedCopy), "a life of \(times.storedCopy)")
  } catch {
    checkShown(error)
  }
}

private func fuzzDefaults(_ bytes: [UInt8]) {
  let folder = Scratch.shared
  folder.write("defaults.conf", bytes)
  do throws(SegueError) {
    var defaults = try Defaults(readingFrom: folder.path)
    guard let (type, id) = defaults.applications.first else { return }
    try defaults.set(type, to: id)
    check(try Defaults(readingFrom: folder.path) == defaults, "the choices are others when they are read again")
  } catch {
    checkShown(error)
  }
}
