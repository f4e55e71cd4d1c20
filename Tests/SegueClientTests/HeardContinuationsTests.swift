import SegueClient
import SegueCore
import Testing

@Suite struct HeardContinuationsTests {
  @Test func V11_eachIsNewOnceAndTheOldestGives() {
    var heard = HeardContinuations()
    let ids = (0...UInt64(Limits.continuationsRemembered)).map { Identifier(high: 0, low: $0) }
    var news: [Bool] = []
    for id in ids.dropLast() { news += [heard.isNew(id), heard.isNew(id)] }
    #expect(news == Array(repeating: [true, false], count: ids.count - 1).flatMap { $0 })
    let late = [heard.isNew(ids[0]), heard.isNew(ids[ids.count - 1]), heard.isNew(ids[0])]
    #expect(late == [false, true, true])
  }
}
