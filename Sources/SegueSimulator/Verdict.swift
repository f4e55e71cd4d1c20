import SegueCore
import SegueEngine

// The rules that must hold over the whole of a schedule (docs/simulator.md).

extension Simulation {
  // MARK: At any time

  /// An activity's state that was given to another device.
  struct Gift: Hashable {
    let activity: Identifier
    let continuation: Identifier
    let device: DeviceID
  }

  /// A device has given an activity's state to another one.
  func judge(given snapshot: Snapshot, by daemon: VirtualDaemon, to fetch: VirtualFetch) {
    gifts.insert(Gift(activity: snapshot.id, continuation: fetch.request.continuation, device: fetch.device.id))
    guard let activity = activities[snapshot.id] else { return problem("a state was given of what never was") }
    if !daemon.device.isPaired(fetch.device) { problem("V14: a state was given to a device that is not paired") }
    // A copy that could not be removed disappears when the disk can be written again, or when it expires.
    if activity.isInvalid, !(snapshot.isStored && daemon.device.store.couldNotRemove(activity.id)) {
      problem("V14: the state was given of an activity that was invalidated")
    }
  }

  /// An application is asked to open a file for another device.
  func judge(opened request: FileRequest, for device: VirtualDevice, by daemon: VirtualDaemon) {
    if !daemon.device.isPaired(device) { problem("V14: a file is opened for a device that is not paired") }
    if activities[request.activity]?.isInvalid == true { problem("a file is opened of what was invalidated") }
    if !gifts.contains(
      Gift(activity: request.activity, continuation: request.continuation, device: device.id))
    {
      problem("a file is opened for a device that was not given the activity")
    }
  }

  /// A snapshot is delivered to an application.
  func judge(delivered snapshot: Snapshot, of account: Account, by daemon: VirtualDaemon) {
    guard let activity = activities[snapshot.id] else { return problem("a state was delivered of what never was") }
    let device = daemon.device
    if activity.device !== device, !device.isPaired(activity.device) {
      problem("V14: what was delivered is of a device that is not paired any more")
    }
    if !snapshot.files.isEmpty { problem("R8: delivered before its files were here") }
    if activity.file != nil, activity.device !== device, account.localized != snapshot.revision {
      problem("R8: delivered, and nobody waited for its file")
    }
  }

  func judge(told offers: [ListedOffer], by daemon: VirtualDaemon) {
    for offer in offers {
      guard let device = devices.first(where: { String($0.id.bytes[0]) == offer.id.device }) else {
        problem("an offer of no device")
        continue
      }
      if device !== daemon.device, !daemon.device.isPaired(device) {
        problem("V14: an application was told of an offer of a device that is not paired")
      }
    }
  }

  // MARK: At rest

  /// Judges the state in which no operation is under way, and all devices are linked that may be.
  func judgeAtRest() {
    for (_, account) in accounts.sorted(by: { $0.key < $1.key }) { account.judge() }
    for process in processes { process.arrivals.judge() }
    for pair in pairs { pair.judge() }
    for file in files { file.judge() }
    for device in devices {
      guard let daemon = device.daemon else { continue }
      daemon.judgeAtRest()
      judgeLists(daemon)
    }
  }

  private func judgeLists(_ daemon: VirtualDaemon) {
    let device = daemon.device
    for entry in daemon.listed {
      let what = "\(device.name) lists \(entry.offer.id.low)"
      if entry.device != device.id, let origin = self.device(entry.device), !device.isPaired(origin) {
        problem("V14: \(what) of a device that is not paired")
      }
      // If a clock was set, a copy may have expired before any daemon has noticed.
      guard entry.isStored, !devices.contains(where: { $0.hasOwnTime }),
        let owner = entry.place == .kept ? device : self.device(entry.device)
      else { continue }
      let from = entry.place == .kept ? entry.device : nil
      if owner.store.has(entry.offer.id, from: from, at: owner.moment.seconds) { continue }
      // Otherwise the daemon may still have the state.
      guard from != nil || owner.daemon?.gives(entry.offer.id) != true else { continue }
      problem("X7: \(what), and nobody can give it")
    }
    for (key, row) in device.store.rows where !device.store.hasFailed {
      if let origin = self.device(key.device), !device.isPaired(origin) {
        problem("V14: \(device.name) still keeps \(key.activity.low) of a device that is not paired")
      }
      judgeKept(key, row.copy, on: device)
    }
  }

  /// The copy that is kept of a linked device's activity must not be older than that device's own copy.
  private func judgeKept(_ key: StoredCopy.Key, _ copy: StoredCopy, on device: VirtualDevice) {
    guard let origin = self.device(key.device), !origin.store.hasFailed, device.isLinkable(origin) else { return }
    let own = StoredCopy.Key(device: nil, activity: key.activity, kind: .snapshot)
    guard let original = origin.store.rows[own]?.copy else { return }
    if copy.offer.revision < original.offer.revision {
      problem("X7: \(device.name) keeps an old state of \(key.activity.low)")
    }
  }

  // MARK: At the end

  /// Judges the state in which all copies that can expire have expired.
  func judgeAtTheEnd() {
    for device in devices {
      if !device.store.rows.isEmpty {
        note("left: \(device.store.inOrder)")
        problem("C7: copies are left on \(device.name) that have expired")
      }
      if device.daemon?.storedCopies.isEmpty == false { problem("C7: \(device.name) lists copies that have expired") }
      if device.daemon?.wake != nil { problem("\(device.name) still waits for something") }
    }
  }
}
