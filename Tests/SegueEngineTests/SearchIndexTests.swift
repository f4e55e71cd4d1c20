import SegueCore
import SegueSimulator
import Testing

@testable import SegueEngine

@Suite struct SearchIndexTests {
  private static let parts = ["tax", "Taxes", "über", "ÜBER", "page", "a", "Q", "2025", "漢字", "x_y", "bread", ""]
  private static let apps = ["com.example.Reader", "com.example.Writer"]

  private func name(of appID: AppID) -> String { appID.string == Self.apps[0] ? "Page Reader" : "Writer" }

  private func copy(
    _ number: UInt64, _ random: inout SeededGenerator, _ kind: StoredCopy.Kind = .search
  ) throws -> StoredCopy {
    var some: [String] { (0..<3).map { _ in Self.parts[Int(random.below(UInt64(Self.parts.count)))] } }
    let app = Self.apps[Int(random.next() & 1)]
    let offer = Offer(
      id: id(number), revision: 1, type: try type(), appID: try appID(app),
      title: random.oneIn(5) ? nil : some.joined(separator: " "))
    var copy = StoredCopy(kind, of: offer)
    (copy.keywords, copy.storedAt) = (some, random.below(20))
    return copy
  }

  /// The result that the index must have, by reading each copy.
  private func expected(_ copies: [Identifier: StoredCopy], _ terms: SearchTerms) -> [Identifier] {
    copies.values.filter { terms.fit([$0.offer.title ?? "", name(of: $0.offer.appID)] + $0.keywords) }
      .sorted { $0.storedAt != $1.storedAt ? $0.storedAt > $1.storedAt : $0.offer.id < $1.offer.id }
      .map { $0.offer.id }
  }

  @Test func X6_theIndexFindsWhatReadingEachCopyFinds() throws {
    var random = SeededGenerator(seed: 7)
    var copies: [Identifier: StoredCopy] = [:]
    for number in 0..<40 { copies[id(UInt64(number))] = try copy(UInt64(number), &random) }
    var index = SearchIndex(copies.values)
    for _ in 0..<400 {
      let number = random.below(60)
      let new = random.oneIn(3) ? nil : try copy(number, &random)
      index.replace(copies[id(number)], with: new)
      copies[id(number)] = new
      for words in [
        ["tax"], ["page"], ["ü", "2025"], ["a"], ["writer", "bread"], ["q"], ["字"], ["read", "x_"], ["axes of"],
      ] {
        let terms = SearchTerms(words)
        let found = index.first(.max, fitting: terms, name: { name(of: $0) }) { $0 }
        #expect(found == expected(copies, terms), "\(words)")
      }
    }
  }

  /// A word is in one of the texts, not across two.
  @Test func X6_keywordsDoNotRunTogether() throws {
    var random = SeededGenerator(seed: 1)
    var copy = try copy(1, &random)
    (copy.offer.title, copy.keywords) = ("Tax", ["es", "of"])
    let index = SearchIndex([copy])
    func finds(_ word: String) -> Bool {
      !index.first(9, fitting: SearchTerms([word]), name: { name(of: $0) }) { $0 }.isEmpty
    }
    #expect(finds("tax") && finds("es") && finds("of") && !finds("taxes") && !finds("esof"))
  }

  @Test func X6_otherCopiesAreNotInTheIndex() throws {
    var random = SeededGenerator(seed: 1)
    var foreign = try copy(1, &random)
    foreign.device = Trial.other
    let index = SearchIndex([foreign, try copy(2, &random, .snapshot), try copy(3, &random, .restoration)])
    #expect(index.first(9, fitting: SearchTerms(["e"]), name: { name(of: $0) }) { $0 }.isEmpty)
  }

  /// It stops at the limit, and what is refused does not count.
  @Test func X6_theFirstThatAreTakenAreEnough() throws {
    var random = SeededGenerator(seed: 1)
    let index = SearchIndex(try (0..<50).map { try copy($0, &random) })
    var asked = 0
    let found = index.first(5, fitting: SearchTerms(["e"]), name: { name(of: $0) }) { activity -> Identifier? in
      asked += 1
      return asked % 2 == 0 ? activity : nil
    }
    #expect(found.count == 5 && asked == 10)
  }
}
