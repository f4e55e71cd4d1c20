import SegueCore
import SegueEngine
import Testing

@testable import SegueDaemon

/// The states that applications store for their own return (semantics C17), on the disk.
@Suite struct StoredStatesTests {
  private func state(_ number: UInt64, window: String?, persistent: String? = nil) -> Snapshot {
    Snapshot(
      id: id(number), revision: 1, type: .browsingWeb, targetContentIdentifier: window, userInfo: [0xa0],
      persistentIdentifier: persistent)
  }

  @Test func C17_whatWasSaidOfAnActivityComesBackWithItsState() throws {
    let test = try TestStore()
    var wanted = try copy(1, .restoration)
    wanted.traits = StateTraits(bits: 9)
    let put = try test.store.put(wanted, state(1, window: "w", persistent: "p")).copy
    test.reopen()
    let copies = try test.store.copies()
    #expect(copies == [put])
    #expect(copies.first?.traits == StateTraits(bits: 9) && copies.first?.targetContentIdentifier == "w")
    #expect(try test.store.snapshot(put.key)?.targetContentIdentifier == "w")
    // A date that is set later, or taken back, is one of the activity's too.
    #expect(try test.store.setLife(nil, of: [put.key]).first?.traits == StateTraits(bits: 1))
    #expect(try test.store.setLife(10_000, of: [put.key]).first?.traits == StateTraits(bits: 9))
    #expect(try test.store.setLife(1_000_000_000, of: [put.key]).first?.traits == StateTraits(bits: 1))
  }

  @Test func C17_aWindowHasOneState() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1, .restoration), state(1, window: "w"))
    _ = try test.store.put(try copy(2, .restoration), state(2, window: nil))
    _ = try test.store.put(try copy(3, .restoration), state(3, window: "w", persistent: "p"))
    _ = try test.store.put(try copy(4, .restoration, app: "com.example.Other"), state(4, window: "w"))
    _ = try test.store.put(try copy(5, .snapshot), state(5, window: "w"))
    #expect(
      try test.store.put(try copy(6, .restoration), state(6, window: "w")).gone == [try copy(1, .restoration).key])
    #expect(
      try test.store.put(try copy(7, .restoration), state(7, window: nil)).gone == [try copy(2, .restoration).key])
    #expect(try test.kept().sorted() == [3, 4, 5, 6, 7])
  }

  /// An application that stores much for search keeps its windows, and the other way round.
  @Test func C17_statesAreCountedByThemselves() throws {
    let test = try TestStore()
    test.bounds = StoreBounds(perApplication: 2, statesPerApplication: 2)
    for number in 1...4 as ClosedRange<UInt64> {
      _ = try test.store.put(try copy(number, .restoration), state(number, window: "\(number)"))
      test.now += 1
    }
    #expect(try test.kept() == [4, 3])
    for number in 5...8 as ClosedRange<UInt64> {
      _ = try test.store.put(try copy(number, .search), state(number, window: nil))
      test.now += 1
    }
    #expect(try test.kept() == [8, 7, 4, 3])
  }
}
