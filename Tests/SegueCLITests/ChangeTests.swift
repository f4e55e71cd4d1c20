import SegueBus
import Testing

@testable import segue

@Suite struct ChangeTests {
  private func offer(_ id: String, _ title: String, age: UInt64) -> BusDictionary {
    ["id": .string(id), "title": .string(title), "age": .uint64(age)]
  }

  @Test func `a listing is told as what came, changed and went`() {
    var known = Known()
    let first = offer("1", "one", age: 10)
    let second = offer("2", "two", age: 5)
    #expect(known.update(.offer, [first, second]) == [.item(.offer, .new, first), .item(.offer, .new, second)])
    #expect(known.update(.offer, [offer("1", "one", age: 20), offer("2", "two", age: 15)]).isEmpty)
    let third = offer("3", "three", age: 0)
    let changed = offer("1", "uno", age: 30)
    #expect(
      known.update(.offer, [third, changed]) == [
        .item(.offer, .gone, offer("2", "two", age: 15)), .item(.offer, .new, third), .item(.offer, .changed, changed),
      ])
  }

  @Test func `subjects are told apart`() {
    var known = Known()
    let item = offer("1", "one", age: 0)
    _ = known.update(.offer, [item])
    #expect(known.update(.activity, [item]) == [.item(.activity, .new, item)])
  }

  @Test func `only one's own continuation makes progress`() {
    var progress = ContinuationProgress()
    #expect(progress.line(for: .continuation(id: "other", state: "begun")) == nil)
    #expect(progress.line(for: .continuation(id: "mine", state: "launching")) != nil)
    #expect(progress.line(for: .continuation(id: "other", state: "launching")) == nil)
    #expect(progress.line(for: .continuation(id: "mine", state: "begun")) != nil)
    #expect(progress.line(for: .continuation(id: "mine", state: "continued")) == nil)
    #expect(progress.line(for: .offers) == nil)
  }
}
