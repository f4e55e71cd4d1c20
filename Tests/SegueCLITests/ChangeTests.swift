import SegueControl
import Testing

@testable import segue

@Suite struct ChangeTests {
  private func offer(_ id: String, _ title: String, age: UInt64, storedAge: UInt64? = nil) -> OfferRow {
    var row = OfferRow()
    (row.id, row.title, row.age, row.storedAge, row.isStored) = (id, title, age, storedAge, storedAge != nil)
    return row
  }

  private func changes(_ known: inout Known<OfferRow>, _ listing: [OfferRow]) -> [Change] {
    known.update(listing).map { .offer($0, $1) }
  }

  @Test func `two devices may have an offer with one id`() {
    var known = Known<OfferRow>()
    var (one, other) = (offer("1", "one", age: 1), offer("1", "one", age: 1))
    (one.deviceID, other.deviceID) = ("a", "b")
    #expect(changes(&known, [one]) == [.offer(.new, one)])
    #expect(changes(&known, [one, other]) == [.offer(.new, other)])
    #expect(changes(&known, [other]) == [.offer(.gone, one)])
  }

  @Test func `a listing is told as what came, changed and went`() {
    var known = Known<OfferRow>()
    let first = offer("1", "one", age: 10)
    let second = offer("2", "two", age: 5)
    #expect(changes(&known, [first, second]) == [.offer(.new, first), .offer(.new, second)])
    #expect(changes(&known, [offer("1", "one", age: 20), offer("2", "two", age: 15)]).isEmpty)
    let third = offer("3", "three", age: 0)
    let changed = offer("1", "uno", age: 30)
    #expect(
      changes(&known, [third, changed]) == [
        .offer(.gone, offer("2", "two", age: 15)), .offer(.new, third), .offer(.changed, changed),
      ])
  }

  @Test func `what is kept grows older without a change, until it is no copy any more`() {
    var known = Known<OfferRow>()
    _ = changes(&known, [offer("1", "one", age: 1_000, storedAge: 1_000)])
    #expect(changes(&known, [offer("1", "one", age: 2_000, storedAge: 2_000)]).isEmpty)
    let live = offer("1", "one", age: 0)
    #expect(changes(&known, [live]) == [.offer(.changed, live)])
  }

  @Test func `only one's own continuation makes progress`() {
    var progress = ContinuationProgress()
    #expect(progress.line(for: .continuation(id: "other", state: .begun)) == nil)
    #expect(progress.line(for: .continuation(id: "mine", state: .launching)) != nil)
    #expect(progress.line(for: .continuation(id: "other", state: .launching)) == nil)
    #expect(progress.line(for: .continuation(id: "mine", state: .begun)) != nil)
    #expect(progress.line(for: .continuation(id: "mine", state: .continued)) == nil)
    #expect(progress.line(for: .offers) == nil)
  }
}
